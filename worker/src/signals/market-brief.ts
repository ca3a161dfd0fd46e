import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { computeIndicators, type Indicators } from "./indicators.ts";

/** All that an analyst may know of a market, computed from closed candles only. */
export interface MarketBrief {
  symbol: string;
  timeframe: Timeframe;
  /** Close of the last closed candle, in the quote currency. */
  price: number;
  /** When that candle closed, Unix milliseconds. */
  lastCandleAt: number;
  /** The last candles, oldest first, as many as the trader asked for. */
  candles: Candle[];
  indicators: Indicators;
}

/**
 * Sums up closed candles, oldest first. `limit` is how many of them the analyst sees; the indicators use all.
 * @throws RangeError without any candle
 */
export function buildMarketBrief(options: {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  candles: readonly Candle[];
}): MarketBrief {
  const { symbol, timeframe, limit, candles } = options;
  const last = candles.at(-1);
  if (!last) throw new RangeError("A market brief needs at least one candle.");
  return {
    symbol,
    timeframe,
    price: last.close,
    lastCandleAt: last.time + TIMEFRAME_MS[timeframe],
    candles: candles.slice(-limit),
    indicators: computeIndicators({ candles, timeframe }),
  };
}
