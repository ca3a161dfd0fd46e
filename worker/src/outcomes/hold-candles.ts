import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";

/** Candles that a trade is held for where its signal does not say. */
export const DEFAULT_HOLD_CANDLES = 24;
/** No trade is followed for longer than this many candles, so that its picture stays one that can be stored and drawn. */
export const MAX_HOLD_CANDLES = 480;

const MINUTE_MS = 60_000;
const UNITS_MS = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 1_440 * MINUTE_MS,
  week: 7 * 1_440 * MINUTE_MS,
} as const;

/** The first `6 candles`, `4-8 hours`, `2 to 3 days`, `90m` of a text, in words or short. */
const HOLD =
  /(?:\d+(?:\.\d+)?\s*(?:-|–|—|to)\s*)?(\d+(?:\.\d+)?)\s*-?\s*(?:(candle|bar)s?|(m|min|minute)s?|(h|hr|hour)s?|(d|day)s?|(w|wk|week)s?)\b/i;

/**
 * How many candles a `suggested_hold` such as `6 candles`, `4-8 hours` or `2 days` comes to; of a range, the longer
 * end. Times are rounded up to whole candles. 24 where the text names no time.
 */
export function holdCandles(text: string, timeframe: Timeframe): number {
  const match = HOLD.exec(text);
  if (!match) return DEFAULT_HOLD_CANDLES;
  const [, amount, inCandles, minutes, hours, days] = match;
  const count = inCandles
    ? Number(amount)
    : (Number(amount) * unitMs({ minutes, hours, days })) / TIMEFRAME_MS[timeframe];
  return Math.min(Math.max(Math.ceil(count), 1), MAX_HOLD_CANDLES);
}

function unitMs(named: {
  minutes: string | undefined;
  hours: string | undefined;
  days: string | undefined;
}): number {
  if (named.minutes) return UNITS_MS.minute;
  if (named.hours) return UNITS_MS.hour;
  return named.days ? UNITS_MS.day : UNITS_MS.week;
}
