import type { Candle } from "@shared/contract/candle.ts";
import { ATR, BollingerBands, SMA } from "trading-signals";

/** Candles over which the usual size of the average true range is taken. */
const USUAL_ATR_PERIOD = 50;

/** Earlier ranges that the present one is ranked among, at most and at least. */
const RANKED_ATRS = { most: 200, fewest: 50 } as const;

/** Percentiles of ATR(14) up to which a market counts as quiet, and from which as lively. */
const REGIME_PERCENTILE = { quiet: 20, lively: 80 } as const;

export type VolatilityRegime = "quiet" | "normal" | "lively";

export interface Bands {
  lower: number;
  middle: number;
  upper: number;
}

/** Wilder's average true range: the mean of the first `period` true ranges, then smoothed by 1 / period. */
export function computeAtr(candles: readonly Candle[], period: number): number | null {
  const atr = new ATR(period);
  atr.updates(candles);
  return atr.getResult();
}

/** ATR(14) divided by its mean of the last 50 candles; null where too few candles or nothing moved. */
export function computeAtrRatio(candles: readonly Candle[]): number | null {
  const atr = new ATR(14);
  const usual = new SMA(USUAL_ATR_PERIOD);
  for (const candle of candles) {
    const value = atr.add(candle);
    if (value !== null) usual.add(value);
  }
  const now = atr.getResult();
  const average = usual.getResult();
  if (now === null || average === null || average === 0) return null;
  return now / average;
}

/**
 * Share of up to 200 earlier values of ATR(14) that are below the present one, 0–100; null with fewer than 50 of them.
 */
export function computeAtrPercentile(candles: readonly Candle[]): number | null {
  const atr = new ATR(14);
  const ranges = candles.flatMap((candle) => atr.add(candle) ?? []);
  const now = ranges.at(-1);
  const earlier = ranges.slice(-1 - RANKED_ATRS.most, -1);
  if (now === undefined || earlier.length < RANKED_ATRS.fewest) return null;
  return (100 * earlier.filter((range) => range < now).length) / earlier.length;
}

/** `atrPercentile` in a word: quiet up to the 20th, lively from the 80th. */
export function volatilityRegime(atrPercentile: number): VolatilityRegime {
  if (atrPercentile <= REGIME_PERCENTILE.quiet) return "quiet";
  return atrPercentile >= REGIME_PERCENTILE.lively ? "lively" : "normal";
}

/** Bollinger bands: 20-candle mean, two population standard deviations to either side. */
export function computeBollinger(closes: readonly number[]): Bands | null {
  const bands = new BollingerBands(20, 2);
  bands.updates(closes);
  return bands.getResult();
}
