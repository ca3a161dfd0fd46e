import type { EntryLeft, HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import type { SignalRecord } from "../database/models/signal.ts";

type PresentableSignal = Pick<
  SignalRecord,
  "_id" | "symbol" | "timeframe" | "status" | "createdAt" | "origin" | "analysis" | "entryLeft"
>;

/** A signal in responses and events. */
export function presentSignal(signal: PresentableSignal): SignalResponse {
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    status: signal.status,
    created_at: signal.createdAt.toISOString(),
    origin: signal.origin,
    analysis: signal.analysis ?? null,
    ...presentEntryLeft(signal),
  };
}

function presentEntryLeft({ entryLeft }: Pick<SignalRecord, "entryLeft">): {
  entry_left?: EntryLeft;
} {
  if (!entryLeft) return {};
  return { entry_left: { price: entryLeft.price, at: entryLeft.at.toISOString() } };
}

/** A signal without a result in events. */
export function presentSignalRef(signal: Pick<SignalRecord, "_id" | "symbol" | "timeframe">) {
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
  };
}

/** A finished signal in the history. */
export function presentHistoryItem(
  signal: PresentableSignal & Pick<SignalRecord, "outcome">,
): HistoryItem {
  const { analysis } = signal;
  const calibrated = analysis?.calibrated_confidence;
  return {
    id: signal._id.toString(),
    timestamp: signal.createdAt.toISOString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    status: signal.status,
    signal: analysis?.final_signal ?? "WAIT",
    confidence: analysis?.confidence ?? 0,
    ...(typeof calibrated === "number" && { calibrated_confidence: calibrated }),
    entry: analysis?.entry ?? null,
    stop_loss: analysis?.stop_loss ?? null,
    take_profit: analysis?.take_profit ?? null,
    ...(signal.outcome && { outcome: signal.outcome }),
    ...(analysis?.valid_until && { valid_until: analysis.valid_until }),
    ...presentEntryLeft(signal),
    rationale: analysis?.raw_ai.rationale ?? "",
  };
}
