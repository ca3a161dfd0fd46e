import { historyItemOf } from "@shared/contract/history-item.ts";
import type { HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import type { SignalRecord } from "../database/models/signal.ts";

type PresentableSignal = Pick<
  SignalRecord,
  "_id" | "symbol" | "timeframe" | "status" | "createdAt" | "origin" | "analysis" | "entryLeft"
>;

/** A signal in responses and events. */
export function presentSignal(signal: PresentableSignal): SignalResponse {
  const { entryLeft } = signal;
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    status: signal.status,
    created_at: signal.createdAt.toISOString(),
    origin: signal.origin,
    analysis: signal.analysis ?? null,
    ...(entryLeft && { entry_left: { price: entryLeft.price, at: entryLeft.at.toISOString() } }),
  };
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
  const { outcome } = signal;
  return { ...historyItemOf(presentSignal(signal)), ...(outcome && { outcome }) };
}
