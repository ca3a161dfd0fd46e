import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { ATR } from "trading-signals";
import type { CandleSeries } from "../market-data/market-data.ts";

/** The candles that a backtest walks through, oldest first. */
export interface BacktestRange {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  /** Indices of the first and the last candle at whose close something is decided; those before only warm up. */
  firstBar: number;
  lastBar: number;
}

/** When the candle at `index` closes, in Unix ms. */
export function closeOf(course: BacktestRange, index: number): number {
  return candleAt(course, index).time + TIMEFRAME_MS[course.timeframe];
}

/** @throws RangeError for an index outside the course */
export function candleAt({ series }: BacktestRange, index: number): Candle {
  const candle = series.candles[index];
  if (!candle) throw new RangeError(`There is no candle ${index}.`);
  return candle;
}

/**
 * The last `bars` candles to be decided on, with `warmUp` candles before them. Where there are fewer, the first ones
 * warm up and the rest is decided on; null where that leaves none.
 */
export function selectRange(options: {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  bars: number;
  warmUp: number;
}): BacktestRange | null {
  const { symbol, timeframe, bars, warmUp } = options;
  const candles = options.series.candles.slice(-(bars + warmUp));
  // A decision needs the candles before it, and one after it to be judged by.
  if (candles.length < warmUp + 2) return null;
  const series = { ...options.series, candles };
  return { symbol, timeframe, series, firstBar: warmUp - 1, lastBar: candles.length - 2 };
}

/** Wilder's ATR(14) at the close of a bar; null where nothing moved or there are too few candles. */
export type AtrAt = (bar: number) => number | null;

/** ATR(14) of all bars in one pass; each value follows from the candles up to its bar. */
export function atrOfBars({ series }: BacktestRange): AtrAt {
  const atr = new ATR(14);
  const values = series.candles.map((candle) => atr.add(candle));
  return (bar) => values[bar] || null;
}
