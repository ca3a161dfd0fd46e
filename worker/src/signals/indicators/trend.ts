import { computeEmaSeries } from "./averages.ts";

export type Trend = "up" | "down" | "flat";

const EMA_PERIOD = 20;

/** Candles over which the average must have risen or fallen. */
const SLOPE_REACH = 3;

/**
 * Up: the last close is above EMA(20) and that average is higher than three candles ago; down: the reverse;
 * otherwise flat. Null with fewer than 23 closes.
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
