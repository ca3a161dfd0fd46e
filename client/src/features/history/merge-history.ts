import type { HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import { isFinished, type LiveState } from "../../lib/live/live-state.ts";

/** A signal as the live events tell of it, as an item of the history. */
export function historyItemOf(signal: SignalResponse): HistoryItem {
  const { signal_id, created_at, symbol, timeframe, status, analysis } = signal;
  return {
    id: signal_id,
    timestamp: created_at,
    symbol,
    timeframe,
    status,
    signal: analysis?.final_signal ?? "WAIT",
    confidence: analysis?.confidence ?? 0,
    entry: analysis?.entry ?? null,
    stop_loss: analysis?.stop_loss ?? null,
    take_profit: analysis?.take_profit ?? null,
    rationale: analysis?.raw_ai.rationale ?? "",
  };
}

interface MergeInput {
  /** What was read over REST, newest first. */
  items: HistoryItem[];
  /** Whether older items are still to be read. */
  hasMore: boolean;
  live: Pick<LiveState, "signals" | "outcomes">;
}

/**
 * The history with what has happened since it was read: finished signals and outcomes that the live events told of.
 * Live signals older than the last item read wait for their page.
 */
export function mergeHistory({ items, hasMore, live }: MergeInput): HistoryItem[] {
  const oldest = items.at(-1)?.timestamp ?? "";
  const merged = new Map(items.map((item) => [item.id, item]));
  for (const signal of Object.values(live.signals)) {
    const isInReach = !hasMore || signal.created_at >= oldest;
    const known = merged.get(signal.signal_id);
    if (isFinished(signal.status) && isInReach && !(known && isFinished(known.status))) {
      merged.set(signal.signal_id, historyItemOf(signal));
    }
  }
  return [...merged.values()]
    .map((item) => withOutcome(item, live.outcomes))
    .sort((a, b) => b.timestamp.localeCompare(a.timestamp));
}

function withOutcome(item: HistoryItem, outcomes: LiveState["outcomes"]): HistoryItem {
  const outcome = outcomes[item.id] ?? item.outcome;
  return outcome ? { ...item, outcome } : item;
}
