import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";

/**
 * Opening time of the candle that `time` falls into; candles of every timeframe count from the Unix
 * epoch, UTC.
 */
export function openingTime(time: number, timeframe: Timeframe): number {
  const lengthMs = TIMEFRAME_MS[timeframe];
  return Math.floor(time / lengthMs) * lengthMs;
}

/** Opening time of the oldest of the last `count` candles that are closed at `now`. */
export function firstOpeningTime(options: {
  timeframe: Timeframe;
  count: number;
  now: number;
}): number {
  const { timeframe, count, now } = options;
  return openingTime(now, timeframe) - count * TIMEFRAME_MS[timeframe];
}
