import type { Candle } from "@shared/contract/candle.ts";
import { Schema, type Types } from "mongoose";

/** The candles that a signal was judged by, from the one that it was made in to the one that decided. */
export interface SignalSinceRecord {
  /** The signal's id. */
  _id: Types.ObjectId;
  candles: Candle[];
}

export const signalSinceSchema = new Schema<SignalSinceRecord>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "signal_since" },
);

/**
 * The latest candles of a market that pending signals wait on: one document for all of them, as reading a market costs
 * one write and not one for each signal.
 */
export interface MarketCandlesRecord {
  /** `<live or replay> <provider> <symbol> <timeframe>`. */
  _id: string;
  /** Oldest first. */
  candles: Candle[];
  updatedAt: Date;
}

/** A market that nobody has waited on for this long is forgotten; one that somebody waits on is read every day. */
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

/** Under which name the candles are kept that a signal from `source` is judged by. */
export function marketKey(market: {
  data: string;
  provider: string;
  symbol: string;
  timeframe: string;
}): string {
  const { data, provider, symbol, timeframe } = market;
  return `${data} ${provider} ${symbol} ${timeframe}`;
}
