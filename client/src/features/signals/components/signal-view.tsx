import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { isLate, type TrackedSignal } from "../bot-store.ts";
import { useNow } from "../hooks/use-now.ts";
import { useSignal } from "../hooks/use-signal.ts";
import { tradeLevels } from "../levels.ts";
import { PendingCard, TimeoutAlert } from "./pending-card.tsx";
import { ResultCard } from "./result-card.tsx";
import { ResultChart } from "./signal-chart.tsx";

const ResultFollow = lazyComponent(() => import("./result-follow.tsx"), "ResultFollow");

export function SignalView({ tracked }: { tracked: TrackedSignal }) {
  const { data: signal } = useSignal(tracked.id);
  if (!signal?.analysis) {
    return <PendingSignal tracked={tracked} isRunning={signal?.status === "running"} />;
  }
  const { signal_id: id, symbol, timeframe, status, created_at, analysis, entry_left } = signal;
  const levels = tradeLevels(analysis);
  const chart = (
    <>
      <ResultChart signalId={id} symbol={symbol} timeframe={timeframe} levels={levels} />
      <ResultFollow id={id} isTrade={levels !== null} />
    </>
  );
  return (
    <ResultCard
      symbol={symbol}
      timeframe={timeframe}
      createdAt={created_at}
      analysis={analysis}
      entryLeft={entry_left}
      chart={status === "completed" && chart}
    />
  );
}

function PendingSignal({ tracked, isRunning }: { tracked: TrackedSignal; isRunning: boolean }) {
  const { symbol, timeframe, requestedAt } = tracked;
  return (
    <>
      {isLate(tracked, useNow(true)) && <TimeoutAlert />}
      <PendingCard
        symbol={symbol}
        timeframe={timeframe}
        stage={isRunning ? "running" : "queued"}
        requestedAt={requestedAt}
      />
    </>
  );
}
