import type { Candle } from "@shared/contract/candle.ts";
import { ATR, BollingerBands, SMA } from "trading-signals";

/** Candles over which the usual size of the average true range is taken. */
const USUAL_ATR_PERIOD = 50;

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

/** Bollinger bands: 20-candle mean, two population standard deviations to either side. */
export function computeBollinger(closes: readonly number[]): Bands | null {
  const bands = new BollingerBands(20, 2);
  bands.updates(closes);
  return bands.getResult();
}
