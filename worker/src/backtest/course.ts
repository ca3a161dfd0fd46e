import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { CandleSeries } from "../providers/market-data.ts";

/** The candles that a backtest walks through, oldest first. */
export interface Course {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  /** Indices of the first and the last candle at whose close something is decided; those before only warm up. */
  firstBar: number;
  lastBar: number;
}

/** When the candle at `index` closes, in Unix ms. */
export function closeOf(course: Course, index: number): number {
  return candleAt(course, index).time + TIMEFRAME_MS[course.timeframe];
}

/** @throws RangeError for an index outside the course */
export function candleAt({ series }: Course, index: number): Candle {
  const candle = series.candles[index];
  if (!candle) throw new RangeError(`There is no candle ${index}.`);
  return candle;
}

/**
 * The last `bars` candles to be decided on, with `warmUp` candles before them. Where there are fewer, the first ones
 * warm up and the rest is decided on; null where that leaves none.
 */
export function layCourse(options: {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  bars: number;
  warmUp: number;
}): Course | null {
  const { symbol, timeframe, bars, warmUp } = options;
  const candles = options.series.candles.slice(-(bars + warmUp));
  // A decision needs the candles before it, and one after it to be judged by.
  if (candles.length < warmUp + 2) return null;
  const series = { ...options.series, candles };
  return { symbol, timeframe, series, firstBar: warmUp - 1, lastBar: candles.length - 2 };
}
