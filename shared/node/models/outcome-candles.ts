import type { Candle } from "@shared/contract/candle.ts";
import { Schema, type Types } from "mongoose";

/** The candles by which the trade of an analysis was resolved, from the one that it was made in to the one that decided. */
export interface OutcomeCandlesRecord {
  /** The analysis's id. */
  _id: Types.ObjectId;
  candles: Candle[];
}

export const outcomeCandlesSchema = new Schema<OutcomeCandlesRecord>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "outcome_candles" },
);

/**
 * The latest candles of a market that unresolved trades depend on: one document for all of them, so that reading a market
 * costs one write and not one for each trade.
 */
export interface MarketCandlesRecord {
  /** `<live or replay> <provider> <symbol> <timeframe>`. */
  _id: string;
  /** Oldest first. */
  candles: Candle[];
  updatedAt: Date;
}

/** A market without unresolved trades for this long is deleted; one with such trades is read every day. */
const KEEP_DAYS = 30;

export const marketCandlesSchema = new Schema<MarketCandlesRecord>(
  {
    _id: { type: String, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "market_candles" },
);
marketCandlesSchema.index({ updatedAt: 1 }, { expireAfterSeconds: KEEP_DAYS * 86_400 });

/** Id of the stored candles of a market. */
export function marketKey(market: {
  data: string;
  provider: string;
  symbol: string;
  timeframe: string;
}): string {
  const { data, provider, symbol, timeframe } = market;
  return `${data} ${provider} ${symbol} ${timeframe}`;
}
