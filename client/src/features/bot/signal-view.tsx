import { lazy, Suspense } from "react";
import { useLive } from "../../lib/live/live-store.ts";
import { tradeLevels } from "../../lib/trade-levels.ts";
import { useNow } from "../../ui/use-now.ts";
import { isLate, type TrackedSignal } from "./bot-store.ts";
import { ChartPanel } from "./chart-panel.tsx";
import { LateNotice } from "./late-notice.tsx";
import { PendingCard, type Stage } from "./pending-card.tsx";
import { ResultCard } from "./result-card.tsx";
import { useSignal } from "./signal-query.ts";

/** Not part of the first load. */
const ResultFollow = lazy(async () => ({
  default: (await import("./result-follow.tsx")).ResultFollow,
}));

/** A tracked signal: its result, or how far it has come. */
export function SignalView({ tracked }: { tracked: TrackedSignal }) {
  const signal = useSignal(tracked.id);
  const leftLive = useLive((live) => live.entriesLeft[tracked.id]);
  if (!signal?.analysis) {
    const stage = signal?.status === "running" ? "running" : "queued";
    return <PendingSignal tracked={tracked} stage={stage} />;
  }
  const { signal_id, symbol, timeframe, status, created_at, analysis } = signal;
  const levels = tradeLevels(analysis);
  return (
    <ResultCard
      symbol={symbol}
      timeframe={timeframe}
      createdAt={created_at}
      analysis={analysis}
      entryLeft={leftLive ?? signal.entry_left}
      chart={
        status === "completed" && (
          <>
            <ChartPanel
              signalId={signal_id}
              symbol={symbol}
              timeframe={timeframe}
              levels={levels}
            />
            <Suspense fallback={null}>
              <ResultFollow id={signal_id} isTrade={levels !== null} />
            </Suspense>
          </>
        )
      }
    />
  );
}

function PendingSignal({ tracked, stage }: { tracked: TrackedSignal; stage: Stage }) {
  const { symbol, timeframe, requestedAt } = tracked;
  const late = isLate(tracked, useNow(true));
  return (
    <>
      {late && <LateNotice />}
      <PendingCard symbol={symbol} timeframe={timeframe} stage={stage} requestedAt={requestedAt} />
    </>
  );
}
