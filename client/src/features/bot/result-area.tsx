import { ChartCandlestick } from "lucide-react";
import { Notice } from "../../ui/notice.tsx";
import { type Attempt, type Failure, useBot } from "./bot-store.ts";
import { brokenAnalysis } from "./broken-analysis.ts";
import { LateNotice } from "./late-notice.tsx";
import { PendingCard } from "./pending-card.tsx";
import { RecentSignals } from "./recent-signals.tsx";
import { ResultCard } from "./result-card.tsx";
import { SignalView } from "./signal-view.tsx";
import { botTexts } from "./texts.ts";

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
        <SignalView key={shown.id} tracked={shown} />
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
  return failure?.kind === "broken" ? <BrokenResult failure={failure} /> : <EmptyState />;
}

function BrokenResult({ failure }: { failure: Failure }) {
  const { request, requestedAt } = failure.attempt;
  return (
    <ResultCard
      symbol={request.symbol}
      timeframe={request.timeframe}
      createdAt={new Date(requestedAt).toISOString()}
      analysis={brokenAnalysis(failure.text)}
    />
  );
}

function RefusedNotice({ text }: { text: string }) {
  return (
    <Notice tone="error" role="alert" title={botTexts.refusedTitle}>
      {text}
    </Notice>
  );
}

function EmptyState() {
  return (
    <div className="flex min-h-56 lg:min-h-[26rem] flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <ChartCandlestick aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <h2 className="text-lg font-semibold">{botTexts.emptyTitle}</h2>
      <p className="max-w-sm text-ink-muted text-pretty">{botTexts.empty}</p>
    </div>
  );
}
