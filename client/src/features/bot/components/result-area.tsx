import type { SignalResponse } from "@shared/contract/signal.ts";
import { ChartCandlestick } from "lucide-react";
import { useEffect } from "react";
import { SignalBadge } from "../../../domain/signal-badge.tsx";
import { ApiError } from "../../../lib/api/errors.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { lazyComponent, usePreload } from "../../../ui/lazy-component.tsx";
import { useSignal } from "../../signals/api.ts";
import { select, shownSignal, type TrackedSignal, untrack, useBot } from "../bot-store.ts";
import { useNewestSignal } from "../newest-signal.ts";
import { loadSignalView } from "../submit-request.ts";
import { PendingCard, TimeoutAlert } from "./pending-card.tsx";

const EmptyResult = () => (
  <div className="flex h-56 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
    <ChartCandlestick aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
    <h2 className="text-lg font-semibold">No signal yet</h2>
    <p className="max-w-sm text-ink-muted text-pretty">
      Your signal appears here with its levels, position size and rationale.
    </p>
  </div>
);

/** Above the chart, it is as long as a card, so that the chart comes into view once and stays. */
const skeleton = <Skeleton className="h-[110rem] rounded-card xl:h-[26rem]" />;

const SignalView = lazyComponent(loadSignalView, "SignalView", { fallback: skeleton });
const FailedResult = lazyComponent(() => import("./failed-result.tsx"), "FailedResult", {
  fallback: <Skeleton className="h-80 rounded-card" />,
});

/** The newest request of this tab, or the signal that the user went back to. */
export function ResultArea() {
  const { pending, failure } = useBot();
  const shown = useBot(shownSignal);
  const isReadingNewest = useNewestSignal();
  useEffect(preloadFailure, []);
  usePreload(SignalView);
  const waiting = pending && !pending.givenUp ? pending : null;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <ErrorAlert title="Request failed" message={failure?.kind === "refused" && failure.text} />
      {shown && <SignalView key={shown.id} tracked={shown} />}
      {!shown && waiting && failure?.kind === "late" && <TimeoutAlert />}
      {!shown && waiting && failure?.kind !== "late" && (
        <PendingCard {...waiting.request} stage="sending" requestedAt={waiting.requestedAt} />
      )}
      {!shown && !waiting && failure?.kind === "broken" && <FailedResult failure={failure} />}
      {!shown &&
        !waiting &&
        failure?.kind !== "broken" &&
        (isReadingNewest ? reading : <EmptyResult />)}
    </div>
  );
}

/** A request may fail because nothing can be loaded. Rendering reports what fails. */
const preloadFailure = () => void FailedResult.preload().catch(() => null);

const reading = (
  <div role="status" aria-label="Loading your last signal">
    {skeleton}
  </div>
);

/** What this tab can go back to. It has its place as soon as a further signal is requested, and pushes nothing later. */
export function RecentSignals() {
  const tracked = useBot((bot) => bot.tracked);
  const shown = useBot(shownSignal);
  const isAsking = useBot(({ pending }) => pending !== null && !pending.givenUp);
  if (tracked.length + (isAsking ? 1 : 0) < 2) return null;
  return (
    <nav aria-label="Recent signals" className="-m-1 flex gap-2 overflow-x-auto p-1">
      {tracked.map((signal) => (
        <RecentButton key={signal.id} tracked={signal} isSelected={signal.id === shown?.id} />
      ))}
    </nav>
  );
}

function RecentButton({ tracked, isSelected }: { tracked: TrackedSignal; isSelected: boolean }) {
  const analysis = useTrackedSignal(tracked.id)?.analysis;
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => select(tracked.id)}
      className="flex shrink-0 items-center gap-3 rounded-control border border-line bg-surface py-2 pr-2 pl-3.5 text-sm transition-colors hover:border-line-strong aria-pressed:border-accent"
    >
      <span className="font-medium">{tracked.symbol}</span>
      <span className="text-ink-faint">{tracked.timeframe}</span>
      {analysis ? (
        <SignalBadge signal={analysis.final_signal} />
      ) : (
        <span className="px-2 py-1 text-ink-muted">Pending</span>
      )}
    </button>
  );
}

/** A signal of this tab, which forgets it if the server does not know it. */
export function useTrackedSignal(id: string | null): SignalResponse | undefined {
  const { data, error } = useSignal(id);
  const isUnknown = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isUnknown && id !== null) untrack(id);
  }, [isUnknown, id]);
  return data;
}
