import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { EMA } from "trading-signals";
import { resampleTraded } from "../market-data/candles.ts";

export type Trend = "up" | "down" | "flat";

const EMA_PERIOD = 20;

const SLOPE_REACH = 3;

/**
 * Up: the close is above EMA(20), and EMA(20) above its value three candles ago. Down is the reverse. Null below 23
 * closes.
 */
export function readTrend(closes: readonly number[]): Trend | null {
  const averages = computeEmaSeries(closes, EMA_PERIOD);
  const close = closes.at(-1);
  const average = averages.at(-1);
  const earlier = averages.at(-1 - SLOPE_REACH);
  if (close === undefined || typeof average !== "number" || typeof earlier !== "number")
    return null;
  if (close > average && average > earlier) return "up";
  if (close < average && average < earlier) return "down";
  return "flat";
}

/** Seeded with the first value; null until `period` values are in. */
export function computeEmaSeries(values: readonly number[], period: number): (number | null)[] {
  const ema = new EMA(period);
  return values.map((value, index) => {
    const average = ema.update(value, false);
    // `isStable` throws and catches inside, which costs more than the average itself.
    return index + 1 >= period ? average : null;
  });
}

export function computeEma(values: readonly number[], period: number): number | null {
  return computeEmaSeries(values, period).at(-1) ?? null;
}

export interface MarketCandles {
  /** Closed candles, oldest first. */
  candles: readonly Candle[];
  timeframe: Timeframe;
}

export interface HigherTimeframe {
  timeframe: Timeframe | "1w";
  trend: Trend;
}

/** Candles of the higher timeframe span at least this many, few enough to leave sufficient for a trend. */
const HIGHER_SPAN = 4;

const WEEK_MS = 7 * TIMEFRAME_MS["1d"];

/** Weeks start on Monday; Unix time started on a Thursday. */
const MONDAY_OFFSET_MS = 4 * TIMEFRAME_MS["1d"];

/** The trend of the next higher timeframe, from the same candles; null with fewer than 23 of its candles. */
export function computeHigherTimeframe({
  candles,
  timeframe,
}: MarketCandles): HigherTimeframe | null {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const higher = TIMEFRAMES.find((longer) => TIMEFRAME_MS[longer] >= HIGHER_SPAN * lengthMs);
  const merged = resampleTraded(candles, {
    lengthMs: higher ? TIMEFRAME_MS[higher] : WEEK_MS,
    offsetMs: higher ? 0 : MONDAY_OFFSET_MS,
    closedUntil: (candles.at(-1)?.time ?? 0) + lengthMs,
  });
  const trend = readTrend(merged.map(({ close }) => close));
  return trend === null ? null : { timeframe: higher ?? "1w", trend };
}
