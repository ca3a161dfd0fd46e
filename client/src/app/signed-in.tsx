import { meSchema } from "@shared/contract/account.ts";
import type { SignalResponse } from "@shared/contract/signal.ts";
import { WifiOff } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { refreshProof } from "../features/payments/refresh-proof.ts";
import { applySignalEvent } from "../features/signals/apply-event.ts";
import { api } from "../lib/api/client.ts";
import { confidenceWords } from "../lib/confidence.ts";
import { apiOrigin } from "../lib/env.ts";
import { refetch } from "../lib/query-client.ts";
import { LiveConnection } from "../lib/realtime/connection.ts";
import { type LiveEvent, notifyListeners, onLiveEvent } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";
import { useSession } from "../lib/session.ts";
import { showToast, useToasts } from "../ui/show-toast.ts";
import { appMessages, liveToastMessages as texts } from "./messages.ts";
import { followView, notifyIfHidden, resetOnVisible } from "./unseen.ts";

const Toaster = lazy(async () => ({ default: (await import("../ui/toaster.tsx")).Toaster }));

/** What runs as long as one user is signed in; mounted anew for each session. */
export function SignedIn({ token }: { token: string }) {
  const hasToasts = useToasts(({ wanted }) => wanted);
  useEffect(() => {
    const connection = new LiveConnection({
      origin: apiOrigin,
      token,
      readMe: (signal) => api({ path: "/me", schema: meSchema, signal }),
      store: useRealtime,
      onEvent: (event) => {
        applySignalEvent(event);
        notifyListeners(event);
      },
      onStale: () => void refetch(),
      onEnded: useSession.getState().signOut,
    });
    return () => connection.stop();
  }, [token]);
  useEffect(() => onLiveEvent(followProof), []);
  return (
    <>
      <ConnectionStrip />
      <LiveToasts />
      {hasToasts && (
        <Suspense fallback={null}>
          <Toaster />
        </Suspense>
      )}
    </>
  );
}

/** A proof that was sent in another tab; without an answer, what is known of it stays as it is. */
function followProof(event: LiveEvent): void {
  if (event.name !== "account:updated" || event.data.reason !== "proof-submitted") return;
  refreshProof().catch(() => null);
}

/** Where a finished signal is in view anyway. */
const signalScreens = ["/bot", "/signal-history"];

/** Tells of what happened on screens other than the one in view, and of all that happens while the tab is hidden. */
export function LiveToasts() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(followView, []);
  useEffect(resetOnVisible, []);
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
        notifyIfHidden(event, { title, text, open });
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

/** Short interruptions are nobody's concern. */
const PATIENCE_MS = 2_000;

/** Says quietly that live updates are interrupted, in the room above a page's heading: nothing moves for it. */
export function ConnectionStrip() {
  const online = useRealtime((live) => live.connection === "online");
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (online) return;
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [online]);
  return (
    <div role="status" className="relative z-10 h-0">
      {late && (
        <p className="flex animate-enter items-center justify-center gap-2 border-b border-line bg-raised px-4 py-1.5 text-sm text-ink-muted">
          <WifiOff aria-hidden className="size-4" />
          {appMessages.offline}
        </p>
      )}
    </div>
  );
}
