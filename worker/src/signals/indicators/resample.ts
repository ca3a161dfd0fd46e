import type { Candle } from "@shared/contract/candle.ts";
import { mergeCandles } from "trading-signals";

/**
 * Merges closed candles into longer ones on the grid `offsetMs + k × bucketMs` of Unix time.
 * Only complete buckets come out: the first must begin with the first candle, the last must have ended when the
 * last candle closed. Candles missing inside a bucket are closed hours and do not matter.
 */
export function resample(options: {
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
