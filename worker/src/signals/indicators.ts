import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import { computeEma } from "./indicators/averages.ts";
import { computeHigherTimeframe, type HigherTimeframe } from "./indicators/higher-timeframe.ts";
import { computeMacd, computeRsi, type Macd } from "./indicators/momentum.ts";
import { findSwings, type Swings } from "./indicators/swings.ts";
import { readTrend, type Trend } from "./indicators/trend.ts";
import {
  type Bands,
  computeAtr,
  computeAtrPercentile,
  computeAtrRatio,
  computeBollinger,
} from "./indicators/volatility.ts";
import { computeVolume, type Volume } from "./indicators/volume.ts";

/** Indicators at the last closed candle; null where there are too few candles for a stable value. */
export interface Indicators {
  /** Wilder's relative strength index, 0–100. */
  rsi14: number | null;
  ema20: number | null;
  ema50: number | null;
  ema200: number | null;
  macd: Macd | null;
  /** Wilder's average true range, in the quote currency. */
  atr14: number | null;
  /** ATR(14) divided by its mean of the last 50 candles; above 1 the market moves more than usual. */
  atrRatio: number | null;
  /** Where ATR(14) ranks among up to 200 earlier ones, 0–100. */
  atrPercentile: number | null;
  bollinger20: Bands | null;
  /** Null also where the market reports no volume. */
  volume: Volume | null;
  swings: Swings;
  /** Direction of these candles themselves. */
  trend: Trend | null;
  higherTimeframe: HigherTimeframe | null;
}

/** Computes every indicator from closed candles, oldest first. Later candles change nothing. */
export function computeIndicators(options: {
  candles: readonly Candle[];
  timeframe: Timeframe;
}): Indicators {
  const { candles, timeframe } = options;
  const closes = candles.map((candle) => candle.close);
  return {
    rsi14: computeRsi(closes, 14),
    ema20: computeEma(closes, 20),
    ema50: computeEma(closes, 50),
    ema200: computeEma(closes, 200),
    macd: computeMacd(closes),
    atr14: computeAtr(candles, 14),
    atrRatio: computeAtrRatio(candles),
    atrPercentile: computeAtrPercentile(candles),
    bollinger20: computeBollinger(closes),
    volume: computeVolume(candles),
    swings: findSwings(candles),
    trend: readTrend(closes),
    higherTimeframe: computeHigherTimeframe({ candles, timeframe }),
  };
}
