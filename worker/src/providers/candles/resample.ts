import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { openingTime } from "./candle-grid.ts";

/** One candle that spans all of `parts`, which are oldest first and follow one another. */
export function mergeCandles(parts: readonly Candle[], time: number): Candle | null {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return null;
  return {
    time,
    open: first.open,
    high: Math.max(...parts.map((part) => part.high)),
    low: Math.min(...parts.map((part) => part.low)),
    close: last.close,
    volume: parts.reduce((sum, part) => sum + part.volume, 0),
  };
}

/**
 * Builds candles of a longer timeframe from gapless shorter ones, oldest first.
 * A candle of which a part is missing, as at either end, is left out.
 */
export function resample(
  candles: readonly Candle[],
  timeframes: { from: Timeframe; to: Timeframe },
): Candle[] {
  const partsPerCandle = TIMEFRAME_MS[timeframes.to] / TIMEFRAME_MS[timeframes.from];
  const groups = new Map<number, Candle[]>();
  for (const candle of candles) {
    const time = openingTime(candle.time, timeframes.to);
    const group = groups.get(time);
    if (group) group.push(candle);
    else groups.set(time, [candle]);
  }
  return [...groups].flatMap(([time, parts]) => {
    const merged = parts.length === partsPerCandle ? mergeCandles(parts, time) : null;
    return merged ? [merged] : [];
  });
}
