import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import type { FinishedAnalysis } from "@shared/node/signals/size-analysis.ts";
import type { TradePlan } from "./entry-zone.ts";

/** What is read of an analysis to watch its entry. */
export type WatchedAnalysis = FinishedAnalysis &
  Pick<MarketAnalysisRecord, "timeframe" | "entryLeft">;

/** The trade that an analysis advises; null for a WAIT. */
export function tradePlanOf({ result }: WatchedAnalysis): TradePlan | null {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit, source } = result.analysis;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  return { entry, stopLoss, takeProfit, signalPrice: source.price ?? entry };
}
