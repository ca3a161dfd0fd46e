import type { SignalResponse } from "@shared/contract/signal.ts";
import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { formatConfidence } from "../lib/format.ts";
import type { LiveEvent } from "../lib/live/live-event.ts";
import { onLiveEvent } from "../lib/live/live-listeners.ts";
import { showToast } from "../ui/toaster.tsx";
import { liveToastTexts as texts } from "./texts.ts";

/** Where a finished signal is in view anyway. */
const signalScreens = ["/bot", "/signal-history"];

/** Tells of what happened on screens other than the one in view; hidden tabs keep quiet. */
export function LiveToasts() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const view = { label: texts.view, run: () => void navigate("/signal-history") };
    return onLiveEvent((event) => {
      if (document.visibilityState === "hidden") return;
      const finished = signalScreens.includes(pathname) ? null : finishedSignal(event);
      if (finished) showToast({ ...finished, action: view });
      if (event.name === "account:updated") tellAccess(event.data.reason);
    });
  }, [pathname, navigate]);
  return null;
}

function finishedSignal(event: LiveEvent): { title: string; description: string } | null {
  if (event.name === "signal:failed") {
    return { title: texts.failedTitle, description: signalName(event.data) };
  }
  if (event.name !== "signal:completed" || !event.data.analysis) return null;
  const { final_signal, confidence } = event.data.analysis;
  const title = `${final_signal} ${event.data.symbol}`;
  return {
    title,
    description: `${event.data.timeframe}, ${formatConfidence(confidence)} confidence`,
  };
}

const signalName = ({ symbol, timeframe }: SignalResponse) => `${symbol}, ${timeframe}`;

function tellAccess(reason: string): void {
  if (reason === "approved") {
    showToast({ title: texts.approvedTitle, description: texts.approved });
  }
  if (reason === "revoked") showToast({ title: texts.revokedTitle, description: texts.revoked });
}
