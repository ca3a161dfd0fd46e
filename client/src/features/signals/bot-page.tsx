import type { SignalResponse } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { lazy, type RefObject, Suspense, useDeferredValue, useEffect, useRef } from "react";
import { useNavigate, useSearchParams } from "react-router-dom";
import { confidenceWords } from "../../lib/confidence.ts";
import { queryClient } from "../../lib/query-client.ts";
import { useSession } from "../../lib/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { readStatus } from "./api.ts";
import { isFinished, signalKeys } from "./apply-event.ts";
import { BotFrame, botGridClass } from "./bot-frame.tsx";
import { announcement, botMessages } from "./bot-messages.ts";
import { isLate, select, track, useBot } from "./bot-store.ts";
import { BotForm } from "./components/bot-form.tsx";
import { ResultArea } from "./components/result-area.tsx";
import { useNow } from "./hooks/use-now.ts";
import { useTrackedSignal } from "./hooks/use-tracked-signal.ts";
import { resumeAttempt } from "./submit-request.ts";

const AdminTools = lazy(async () => ({
  default: (await import("./components/admin-tools.tsx")).AdminTools,
}));

const NoticesButton = lazy(async () => ({
  default: (await import("./components/notifications-button.tsx")).NoticesButton,
}));

/** From this width on, form and result stand beside each other. */
const WIDE = "(width >= 64rem)";

export function BotPage() {
  const analyzing = useAnalyzing();
  // Nothing stands before it is known whether the banner stands above it.
  const { isPending } = useStatus();
  // Deferred, React makes the form in small steps, and the page hears its reader in between.
  const isReady = !useDeferredValue(isPending);
  useEffect(() => void resumeAttempt(), []);
  return (
    <>
      <BotFrame aside={notices}>
        {isReady ? <Workplace analyzing={analyzing} /> : undefined}
      </BotFrame>
      <SignalAnnouncer analyzing={analyzing} />
    </>
  );
}

const notices = (
  <Suspense fallback={null}>
    <NoticesButton />
  </Suspense>
);

/** Form and results. */
function Workplace({ analyzing }: { analyzing: boolean }) {
  const isAdmin = useSession((session) => session.isAdmin);
  const results = useRef<HTMLElement>(null);
  useSignalFromUrl(results);
  // The next frame holds what the request has changed, and with it the height to scroll to.
  const showResults = () => {
    if (window.matchMedia(WIDE).matches) return;
    requestAnimationFrame(() => results.current?.scrollIntoView());
  };
  return (
    <>
      <DemoBanner />
      <div className={botGridClass}>
        <aside className="flex flex-col gap-6 [@media(width>=64rem)_and_(height>=60rem)]:sticky [@media(width>=64rem)_and_(height>=60rem)]:top-24">
          <BotForm analyzing={analyzing} onAsked={showResults} />
          {isAdmin && (
            <Suspense fallback={null}>
              <AdminTools />
            </Suspense>
          )}
        </aside>
        <section
          ref={results}
          tabIndex={-1}
          aria-label={botMessages.results}
          className="scroll-mt-20 outline-none [overflow-anchor:none]"
        >
          <ResultArea />
        </section>
      </div>
    </>
  );
}

/** Says what a signal would be made from as long as that is not live data and an AI model. */
export function DemoBanner() {
  const { data: status } = useStatus();
  const isReplay = status?.market_data === "replay";
  const isRules = status?.analyst === "rules";
  if (!isReplay && !isRules) return null;
  return (
    <Alert tone="warning" role="status" title={botMessages.demoTitle}>
      {isReplay && <p>{botMessages.demoReplay}</p>}
      {isRules && <p>{botMessages.demoRules}</p>}
    </Alert>
  );
}

/** Tells screen readers how the newest request is going, in one sentence at a time. */
export function SignalAnnouncer({ analyzing }: { analyzing: boolean }) {
  const newest = useBot(({ tracked }) => tracked[0]);
  const analysis = useTrackedSignal(newest?.id ?? null)?.analysis;
  const name = newest ? `${newest.symbol} ${newest.timeframe}` : "";
  const text = () => {
    if (analyzing) return announcement.analyzing;
    if (!analysis) return "";
    const { final_signal: signal, confidence, calibrated_confidence: calibrated } = analysis;
    const words = confidenceWords({ signal, confidence, calibrated });
    return announcement.result({ signal, name, confidence: words });
  };
  return (
    <p role="status" className="sr-only">
      {text()}
    </p>
  );
}

/** Shows the signal that the address names and scrolls to it; one that this tab does not know has its own page. */
export function useSignalFromUrl(results: RefObject<HTMLElement | null>): void {
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const id = parameters.get("signal");
  useEffect(() => {
    if (id === null) return;
    if (!open(id)) return void navigate(`/signals/${id}`, { replace: true });
    void navigate("/bot", { replace: true });
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView({ block: "nearest" });
  }, [id, navigate, results]);
}

function open(id: string): boolean {
  const isTracked = useBot.getState().tracked.some((signal) => signal.id === id);
  const known = queryClient.getQueryData<SignalResponse>(signalKeys.detail(id));
  if (!isTracked && !known) return false;
  if (!isTracked && known) {
    const { symbol, timeframe, created_at } = known;
    const requestedAt = Date.parse(created_at);
    track({ id, symbol, timeframe, requestedAt, withImage: false });
  }
  select(id);
  return true;
}

/** Whether this tab's newest request is still being worked on, within the time the client waits for it. */
export function useAnalyzing(): boolean {
  const sending = useBot(
    ({ attempt, failure }) => attempt !== null && !attempt.givenUp && !failure,
  );
  const newest = useBot(({ tracked }) => tracked[0]);
  const signal = useTrackedSignal(newest?.id ?? null);
  const isOpen = newest !== undefined && (!signal || !isFinished(signal.status));
  const now = useNow(isOpen);
  return sending || (isOpen && !isLate(newest, now));
}

const REFRESH_MS = 60_000;

/** What a signal would be made from at this moment. */
export const useStatus = () =>
  useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => readStatus(signal),
    refetchInterval: REFRESH_MS,
  });
