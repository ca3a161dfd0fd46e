import type { HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import { isFinished, type LiveState } from "../../lib/live/live-state.ts";

/** A signal as the live events tell of it, as an item of the history. */
export function historyItemOf(signal: SignalResponse): HistoryItem {
  const { signal_id, created_at, symbol, timeframe, status, analysis } = signal;
  const calibrated = analysis?.calibrated_confidence;
  return {
    id: signal_id,
    timestamp: created_at,
    symbol,
    timeframe,
    status,
    signal: analysis?.final_signal ?? "WAIT",
    confidence: analysis?.confidence ?? 0,
    ...(typeof calibrated === "number" && { calibrated_confidence: calibrated }),
    entry: analysis?.entry ?? null,
    stop_loss: analysis?.stop_loss ?? null,
    take_profit: analysis?.take_profit ?? null,
    valid_until: analysis?.valid_until ?? null,
    entry_left: signal.entry_left ?? null,
    rationale: analysis?.raw_ai.rationale ?? "",
  };
}

interface MergeInput {
  /** What was read over REST, newest first. */
  items: HistoryItem[];
  /** Whether older items are still to be read. */
  hasMore: boolean;
  live: Pick<LiveState, "signals" | "outcomes" | "entriesLeft">;
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
    .map((item) => withNews(item, live))
    .sort((a, b) => b.timestamp.localeCompare(a.timestamp));
}

function withNews(item: HistoryItem, live: MergeInput["live"]): HistoryItem {
  const outcome = live.outcomes[item.id];
  const entryLeft = live.entriesLeft[item.id];
  return { ...item, ...(outcome && { outcome }), ...(entryLeft && { entry_left: entryLeft }) };
}
