import { ChartCandlestick } from "lucide-react";
import { lazy, Suspense } from "react";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type Attempt, type Failure, useBot } from "./bot-store.ts";
import { LateNotice } from "./late-notice.tsx";
import { loadSignalView } from "./load-signal-view.ts";
import { PendingCard } from "./pending-card.tsx";
import { RecentSignals } from "./recent-signals.tsx";
import { botTexts } from "./texts.ts";

/** Loaded while the signal is being made. */
const SignalView = lazy(async () => ({ default: (await loadSignalView()).SignalView }));
const BrokenResult = lazy(async () => ({
  default: (await import("./broken-result.tsx")).BrokenResult,
}));

const PreviewChart = lazy(async () => ({
  default: (await import("./preview-chart.tsx")).PreviewChart,
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
function NewestRequest({ waiting, failure }: { waiting: Attempt | null; failure: Failure | null }) {
  if (waiting) {
    const { symbol, timeframe } = waiting.request;
    return (
      <>
        {failure?.kind === "late" && <LateNotice />}
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
    <Notice tone="error" role="alert" title={botTexts.refusedTitle}>
      {text}
    </Notice>
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
    <h2 className="text-lg font-semibold">{botTexts.emptyTitle}</h2>
    <p className="max-w-sm text-ink-muted text-pretty">{botTexts.empty}</p>
  </div>
);
