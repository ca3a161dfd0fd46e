import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { EMA, mergeCandles } from "trading-signals";

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
    // Not by `isStable`: it throws and catches inside, which costs more than the whole average.
    return index + 1 >= period ? average : null;
  });
}

export function computeEma(values: readonly number[], period: number): number | null {
  return computeEmaSeries(values, period).at(-1) ?? null;
}

export interface HigherTimeframe {
  timeframe: Timeframe | "1w";
  trend: Trend;
}

/** Shortest timeframe that is at least four times as long, so that the candles suffice for a trend. */
const HIGHER: Record<Timeframe, HigherTimeframe["timeframe"]> = {
  "1m": "5m",
  "5m": "30m",
  "15m": "1h",
  "30m": "4h",
  "1h": "4h",
  "4h": "1d",
  "1d": "1w",
};

const WEEK_MS = 7 * TIMEFRAME_MS["1d"];

/** Weeks start on Monday; Unix time started on a Thursday. */
const MONDAY_OFFSET_MS = 4 * TIMEFRAME_MS["1d"];

export function computeHigherTimeframe(options: {
  candles: readonly Candle[];
  timeframe: Timeframe;
}): HigherTimeframe | null {
  const timeframe = HIGHER[options.timeframe];
  const isWeek = timeframe === "1w";
  const buckets = resampleBuckets({
    candles: options.candles,
    candleMs: TIMEFRAME_MS[options.timeframe],
    bucketMs: isWeek ? WEEK_MS : TIMEFRAME_MS[timeframe],
    offsetMs: isWeek ? MONDAY_OFFSET_MS : 0,
  });
  const trend = readTrend(buckets.map((bucket) => bucket.close));
  return trend === null ? null : { timeframe, trend };
}

export function resampleBuckets(options: {
  candles: readonly Candle[];
  candleMs: number;
  bucketMs: number;
  offsetMs?: number;
}): Candle[] {
  const { candles, candleMs, bucketMs, offsetMs = 0 } = options;
  const startOf = (time: number) => Math.floor((time - offsetMs) / bucketMs) * bucketMs + offsetMs;
  const first = candles[0];
  const last = candles.at(-1);
  if (!first || !last) return [];
  const closedUntil = last.time + candleMs;
  const merged: Candle[] = [];
  for (const [time, bucket] of groupBy(candles, (candle) => startOf(candle.time))) {
    if (time < first.time || time + bucketMs > closedUntil) continue;
    merged.push({ time, ...mergeCandles(bucket) });
  }
  return merged;
}

function groupBy(
  candles: readonly Candle[],
  keyOf: (candle: Candle) => number,
): Map<number, Candle[]> {
  const groups = new Map<number, Candle[]>();
  for (const candle of candles) {
    const key = keyOf(candle);
    const group = groups.get(key);
    if (group) group.push(candle);
    else groups.set(key, [candle]);
  }
  return groups;
}
