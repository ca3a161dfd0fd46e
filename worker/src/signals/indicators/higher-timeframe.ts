import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { resample } from "./resample.ts";
import { readTrend, type Trend } from "./trend.ts";

/** Direction of the next longer timeframe, read from the same candles. */
export interface HigherTimeframe {
  timeframe: Timeframe | "1w";
  trend: Trend;
}

/**
 * The frame a trader would look at before trading this one: four to eight times longer, so that the candles
 * at hand still fill enough of it.
 */
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

/** Weeks begin on Monday; Unix time began on a Thursday. */
const MONDAY_OFFSET_MS = 4 * TIMEFRAME_MS["1d"];

/** The trend (see `readTrend`) of the complete buckets; null with fewer than 23 of them. */
export function computeHigherTimeframe(options: {
  candles: readonly Candle[];
  timeframe: Timeframe;
}): HigherTimeframe | null {
  const timeframe = HIGHER[options.timeframe];
  const isWeek = timeframe === "1w";
  const buckets = resample({
    candles: options.candles,
    candleMs: TIMEFRAME_MS[options.timeframe],
    bucketMs: isWeek ? WEEK_MS : TIMEFRAME_MS[timeframe],
    offsetMs: isWeek ? MONDAY_OFFSET_MS : 0,
  });
  const trend = readTrend(buckets.map((bucket) => bucket.close));
  return trend === null ? null : { timeframe, trend };
}
