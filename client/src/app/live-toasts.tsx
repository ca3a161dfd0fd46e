import type { SignalResponse } from "@shared/contract/signal.ts";
import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { confidenceWords } from "../lib/confidence.ts";
import type { LiveEvent } from "../lib/live/live-event.ts";
import { onLiveEvent } from "../lib/live/live-listeners.ts";
import { followView } from "../lib/notices/tab-in-view.ts";
import { showToast } from "../ui/show-toast.ts";
import { forgetSeen, tellHidden } from "./hidden-news.ts";
import { liveToastTexts as texts } from "./texts.ts";

/** Where a finished signal is in view anyway. */
const signalScreens = ["/bot", "/signal-history"];

/** Tells of what happened on screens other than the one in view, and of all that happens while the tab is hidden. */
export function LiveToasts() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(followView, []);
  useEffect(forgetSeen, []);
  useEffect(
    () =>
      onLiveEvent((event) => {
        if (event.name === "account:updated") tellAccess(event.data.reason);
        const finished = finishedSignal(event);
        if (!finished) return;
        const { id, title, text } = finished;
        const open = () => void navigate(`/bot?signal=${id}`);
        const isHidden = document.visibilityState === "hidden";
        if (isHidden || !signalScreens.includes(pathname)) {
          showToast({ title, description: text, action: { label: texts.view, run: open } });
        }
        tellHidden(event, { title, text, open });
      }),
    [pathname, navigate],
  );
  return null;
}

function finishedSignal(event: LiveEvent): { id: string; title: string; text: string } | null {
  if (event.name !== "signal:completed" && event.name !== "signal:failed") return null;
  const { signal_id: id, symbol, timeframe, analysis } = event.data;
  if (event.name === "signal:failed") {
    return { id, title: texts.failedTitle, text: signalName(event.data) };
  }
  if (!analysis) return null;
  const { final_signal: signal, confidence, calibrated_confidence: calibrated } = analysis;
  const words = confidenceWords({ signal, confidence, calibrated });
  return { id, title: `${signal} ${symbol}`, text: `${timeframe}, ${words}` };
}

const signalName = ({ symbol, timeframe }: SignalResponse) => `${symbol}, ${timeframe}`;

function tellAccess(reason: string): void {
  if (reason === "approved") {
    showToast({ title: texts.approvedTitle, description: texts.approved });
  }
  if (reason === "revoked") showToast({ title: texts.revokedTitle, description: texts.revoked });
}
