import { DAY_MS } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";

/** `24 candles (about 24 hours)`. */
export function describeCandles(count: number, timeframe: Timeframe): string {
  const candles = count === 1 ? "1 candle" : `${count} candles`;
  return `${candles} (about ${describeDuration(count * TIMEFRAME_MS[timeframe])})`;
}

function describeDuration(durationMs: number): string {
  const minutes = durationMs / 60_000;
  if (minutes < 2 * 60) return inUnit(minutes, "minute");
  const hours = minutes / 60;
  return hours < 2 * 24 ? inUnit(hours, "hour") : inUnit(hours / 24, "day");
}

function inUnit(value: number, unit: "minute" | "hour" | "day"): string {
  const format = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat("en", format).format(value);
}

/** What a longer hold costs in addition. The trading costs of a signal do not contain it. */
const LONG_HOLD_MS = DAY_MS;
const HOLDING_COSTS = {
  crypto: "Funding is paid or received several times a day meanwhile, and is not in the costs.",
  other: "Swap is charged for each night meanwhile, and is not in the costs.",
} as const;

/** The words for the hold that is enforced. Those of a model may say something else. */
export function holdWords(
  count: number,
  { symbol, timeframe }: { symbol: string; timeframe: Timeframe },
) {
  const hold = describeCandles(count, timeframe);
  const isLong = count * TIMEFRAME_MS[timeframe] >= LONG_HOLD_MS;
  const costs = HOLDING_COSTS[instrumentClass(symbol) === "crypto" ? "crypto" : "other"];
  const closed = `The trade is closed after ${hold} at the latest, if neither stop nor target was met before.`;
  return {
    suggested_hold: hold,
    trade_duration_text: isLong ? `${closed} ${costs}` : closed,
  };
}
