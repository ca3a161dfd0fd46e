import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradeLevels } from "./trade-levels.ts";

/**
 * Mean range of a Brownian path over its standard deviation, √(8/π) (Feller 1951; the base of Parkinson's
 * volatility estimate): turns an average range into a standard deviation per candle.
 */
const RANGE_PER_DEVIATION = Math.sqrt(8 / Math.PI);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Candles until a driftless random walk meets the stop or the target: risk × reward / variance, the mean exit
 * time from an interval. At least 1.
 */
export function expectedCandles(levels: TradeLevels, atr: number): number {
  const risk = Math.abs(levels.entry - levels.stopLoss);
  const reward = Math.abs(levels.takeProfit - levels.entry);
  const deviation = atr / RANGE_PER_DEVIATION;
  return Math.max(Math.round((risk * reward) / deviation ** 2), 1);
}

/** `24 candles (about 24 hours)`. */
export function describeCandles(count: number, timeframe: Timeframe): string {
  const candles = count === 1 ? "1 candle" : `${count} candles`;
  return `${candles} (about ${describeDuration(count * TIMEFRAME_MS[timeframe])})`;
}

/** Minutes below two hours, hours below two days, then days; whole numbers. */
function describeDuration(durationMs: number): string {
  if (durationMs < 2 * HOUR_MS) return inUnit(durationMs / MINUTE_MS, "minute");
  if (durationMs < 2 * DAY_MS) return inUnit(durationMs / HOUR_MS, "hour");
  return inUnit(durationMs / DAY_MS, "day");
}

function inUnit(value: number, unit: "minute" | "hour" | "day"): string {
  const format = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat("en", format).format(value);
}
