import type { SignalResponse } from "@shared/contract/signal.ts";
import { ChartCandlestick } from "lucide-react";
import { lazy, Suspense } from "react";
import { Alert } from "../../../ui/alert.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { SignalBadge } from "../../../ui/signal-badge.tsx";
import { botMessages } from "../bot-messages.ts";
import {
  type Failure,
  type PendingRequest,
  select,
  type TrackedSignal,
  useBot,
} from "../bot-store.ts";
import { useTrackedSignal } from "../hooks/use-tracked-signal.ts";
import { loadSignalView } from "../submit-request.ts";
import { PendingCard, TimeoutAlert } from "./pending-card.tsx";

/** Loaded while the signal is being made. */
const SignalView = lazy(async () => ({ default: (await loadSignalView()).SignalView }));
const BrokenResult = lazy(async () => ({
  default: (await import("./failed-result.tsx")).BrokenResult,
}));

const PreviewChart = lazy(async () => ({
  default: (await import("./market-chart.tsx")).PreviewChart,
}));

/** What has come of this tab's requests: the newest one, or the signal that the user went back to. */
export function ResultArea() {
  const { attempt, failure, tracked, selectedId } = useBot();
  const chosen = tracked.find(({ id }) => id === selectedId);
  const waiting = attempt && !attempt.givenUp ? attempt : null;
  const shown = chosen ?? (waiting || failure?.kind === "broken" ? undefined : tracked[0]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <RecentSignals tracked={tracked} selectedId={shown?.id} />
      {failure?.kind === "refused" && <RefusedNotice text={failure.text} />}
      {shown ? (
        <Suspense fallback={<Skeleton className="h-[44rem] rounded-card" />}>
          <SignalView key={shown.id} tracked={shown} />
        </Suspense>
      ) : (
        <NewestRequest waiting={waiting} failure={failure} />
      )}
    </div>
  );
}

/** A request that has no signal yet. */
function NewestRequest({
  waiting,
  failure,
}: {
  waiting: PendingRequest | null;
  failure: Failure | null;
}) {
  if (waiting) {
    const { symbol, timeframe } = waiting.request;
    return (
      <>
        {failure?.kind === "late" && <TimeoutAlert />}
        <PendingCard
          symbol={symbol}
          timeframe={timeframe}
          stage="sending"
          requestedAt={waiting.requestedAt}
        />
      </>
    );
  }
  if (failure?.kind !== "broken") return <EmptyState />;
  return (
    <Suspense fallback={<Skeleton className="h-80 rounded-card" />}>
      <BrokenResult failure={failure} />
    </Suspense>
  );
}

function RefusedNotice({ text }: { text: string }) {
  return (
    <Alert tone="error" role="alert" title={botMessages.refusedTitle}>
      {text}
    </Alert>
  );
}

/** Nothing asked for yet; where TradingView's chart loads, the market that is about to be asked for. */
function EmptyState() {
  return (
    <Suspense fallback={<div className={emptyBoxClass}>{emptyMessage}</div>}>
      <PreviewChart className={emptyBoxClass}>{emptyMessage}</PreviewChart>
    </Suspense>
  );
}

const emptyBoxClass = "h-80 rounded-card border border-dashed border-line-strong lg:h-[26rem]";

const emptyMessage = (
  <div className="flex h-full flex-col items-center justify-center gap-3 bg-canvas p-8 text-center">
    <ChartCandlestick aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
    <h2 className="text-lg font-semibold">{botMessages.emptyTitle}</h2>
    <p className="max-w-sm text-ink-muted text-pretty">{botMessages.empty}</p>
  </div>
);

interface RecentSignalsProps {
  tracked: TrackedSignal[];
  selectedId: string | undefined;
}

/** This tab's latest signals, to go back and forth between; shown once there are several. */
function RecentSignals({ tracked, selectedId }: RecentSignalsProps) {
  if (tracked.length < 2) return null;
  return (
    <nav aria-label={botMessages.recent} className="-mx-1 flex gap-2 overflow-x-auto p-1">
      {tracked.map((signal) => (
        <RecentButton key={signal.id} tracked={signal} selected={signal.id === selectedId} />
      ))}
    </nav>
  );
}

function RecentButton({ tracked, selected }: { tracked: TrackedSignal; selected: boolean }) {
  const signal = useTrackedSignal(tracked.id);
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={() => select(tracked.id)}
      className="flex shrink-0 items-center gap-3 rounded-control border border-line bg-surface py-2 pr-2 pl-3.5 text-sm transition-colors hover:border-line-strong aria-pressed:border-accent"
    >
      <span className="font-medium">{tracked.symbol}</span>
      <span className="text-ink-faint">{tracked.timeframe}</span>
      <Outcome signal={signal} />
    </button>
  );
}

function Outcome({ signal }: { signal: SignalResponse | undefined }) {
  if (signal?.analysis) return <SignalBadge signal={signal.analysis.final_signal} />;
  return <span className="px-2 py-1 text-ink-muted">{botMessages.recentPending}</span>;
}
