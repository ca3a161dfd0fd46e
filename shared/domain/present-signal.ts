import { type HistoryItem, historyItemOf, type SignalResponse } from "@shared/contract/signal.ts";
import type { SignalRecord } from "../database/models/signal.ts";

type PresentableSignal = Pick<
  SignalRecord,
  | "_id"
  | "symbol"
  | "timeframe"
  | "status"
  | "createdAt"
  | "origin"
  | "analysis"
  | "entryLeft"
  | "filled"
  | "outcome"
  | "note"
>;

export function presentSignal(signal: PresentableSignal): SignalResponse {
  const { entryLeft, filled, outcome, note } = signal;
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    status: signal.status,
    created_at: signal.createdAt.toISOString(),
    origin: signal.origin,
    analysis: signal.analysis ?? null,
    ...(entryLeft && { entry_left: { price: entryLeft.price, at: entryLeft.at.toISOString() } }),
    ...(filled && { filled: { price: filled.price, at: filled.at.toISOString() } }),
    ...(outcome && { outcome }),
    ...(note && { note }),
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

export const presentHistoryItem = (signal: PresentableSignal): HistoryItem =>
  historyItemOf(presentSignal(signal));
