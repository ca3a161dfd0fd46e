import { figuresOf } from "@shared/node/ledger/analysis-figures.ts";
import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import type { Trade } from "@shared/outcomes/trade.ts";
import { tradeOfFigures } from "@shared/outcomes/trade-of-figures.ts";
import type { Types } from "mongoose";
import type { Market } from "./candle-archive.ts";

/** A trade that is not resolved yet. */
export interface PendingTrade {
  analysisId: Types.ObjectId;
  market: Market;
  trade: Trade;
}

/** The trade that a finished analysis advises, as its ledger record has it; null for one that advises none. */
export function pendingTrade(
  analysis: Parameters<typeof figuresOf>[0] & Pick<MarketAnalysisRecord, "_id">,
): PendingTrade | null {
  const figures = figuresOf(analysis);
  const { data, provider, symbol, timeframe } = figures;
  const trade = tradeOfFigures(figures);
  if (!trade || data === "none") return null;
  return { analysisId: analysis._id, market: { data, provider, symbol, timeframe }, trade };
}
