import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { ATR } from "trading-signals";
import type { CandleSeries } from "../market-data/market-data.ts";

export interface BacktestRange {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  /** Indices of the first and last candle with a decision; candles before the first are warm-up. */
  firstBar: number;
  lastBar: number;
}

/** Unix milliseconds. */
export function closeOf(course: BacktestRange, index: number): number {
  return candleAt(course, index).time + TIMEFRAME_MS[course.timeframe];
}

export function candleAt({ series }: BacktestRange, index: number): Candle {
  const candle = series.candles[index];
  if (!candle) throw new RangeError(`There is no candle ${index}.`);
  return candle;
}

/** The last `bars` candles after `warmUp` ones; null with too few candles. */
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

export type AtrAt = (bar: number) => number | null;

export function atrOfBars({ series }: BacktestRange): AtrAt {
  const atr = new ATR(14);
  const values = series.candles.map((candle) => atr.add(candle));
  return (bar) => values[bar] || null;
}
