import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { validUntil } from "@shared/contract/signal.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
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
  // A decision needs the candles before it, and one after it to resolve a trade.
  if (candles.length < warmUp + 2) return null;
  const series = { ...options.series, candles };
  return { symbol, timeframe, series, firstBar: warmUp - 1, lastBar: candles.length - 2 };
}

/** A trade at the close of a bar, without its side and levels. */
export function tradeAt(
  course: BacktestRange,
  bar: number,
): Pick<Trade, "symbol" | "timeframe" | "price" | "createdAt" | "validUntil"> {
  const { symbol, timeframe } = course;
  const createdAt = closeOf(course, bar);
  return {
    ...{ symbol, timeframe, createdAt, price: candleAt(course, bar).close },
    validUntil: validUntil({ timeframe, lastCandleAt: createdAt }),
  };
}

export type AtrAt = (bar: number) => number | null;

export function atrOfBars({ series }: BacktestRange): AtrAt {
  const atr = new ATR(14);
  const values = series.candles.map((candle) => atr.add(candle));
  return (bar) => values[bar] || null;
}
