import type { Analysis } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { TradePlan } from "./entry-zone.ts";

/** What is read of a signal to watch its entry. */
export type WatchedSignal = Pick<SignalRecord, "_id" | "userId" | "symbol" | "timeframe"> & {
  analysis: Pick<Analysis, "entry" | "stop_loss" | "take_profit"> & {
    source: Pick<Analysis["source"], "data" | "last_candle_at" | "price">;
  };
};

/** The trade that a signal advises; null for a WAIT. */
export function tradePlanOf({ analysis }: WatchedSignal): TradePlan | null {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit, source } = analysis;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  return { entry, stopLoss, takeProfit, signalPrice: source.price ?? entry };
}
