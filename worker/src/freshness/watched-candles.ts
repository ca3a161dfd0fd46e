import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { validUntil } from "@shared/contract/validity.ts";
import { untilAborted } from "../providers/abortable.ts";
import type { CandleSeries, MarketData } from "../providers/market-data.ts";

/**
 * Candles on which a signal's entry is watched: short enough to tell within a small part of its validity, and long
 * enough for the whole of it to come in one small answer.
 */
const WATCHED_ON: Record<Timeframe, Timeframe> = {
  "1m": "1m",
  "5m": "1m",
  "15m": "1m",
  "30m": "5m",
  "1h": "5m",
  "4h": "15m",
  "1d": "1h",
};

/** A signal's market and timeframe. */
export interface WatchedMarket {
  symbol: string;
  timeframe: Timeframe;
}

/**
 * Closed candles that cover the validity of every signal of this market that is still valid, from the candles that all
 * share.
 * @throws ProviderError; the reason of `abort` once that fires
 */
export function fetchWatchedCandles(
  marketData: MarketData,
  { symbol, timeframe }: WatchedMarket,
  abort: AbortSignal,
): Promise<CandleSeries> {
  const watchedOn = WATCHED_ON[timeframe];
  const longestMs = validUntil({ timeframe, lastCandleAt: 0 });
  const limit = Math.ceil(longestMs / TIMEFRAME_MS[watchedOn]) + 1;
  const request = { symbol, timeframe: watchedOn, limit, abort };
  return untilAborted(marketData.candles(request), abort);
}

/** Close of a candle that a signal of this timeframe is watched on, in Unix milliseconds. */
export function watchedCloseOf(candle: Candle, timeframe: Timeframe): number {
  return candle.time + TIMEFRAME_MS[WATCHED_ON[timeframe]];
}
