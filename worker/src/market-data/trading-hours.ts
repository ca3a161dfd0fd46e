import { tzOffset } from "@date-fns/tz";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { openingTime } from "./candles.ts";
import type { CandleSeries } from "./market-data.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;
const NEW_YORK = "America/New_York";
/** Winter offset of New York; its clocks never change near an open or close. */
const STANDARD_OFFSET_MS = -5 * HOUR_MS;

/** Sessions starting on `weekdays` (0 is Sunday), in milliseconds after midnight in New York. */
interface Sessions {
  weekdays: readonly number[];
  opensMs: number;
  closesMs: number;
}

const SESSIONS: Record<Exclude<TradingHours, "always">, Sessions> = {
  forex: { weekdays: [0], opensMs: 17 * HOUR_MS, closesMs: 5 * DAY_MS + 17 * HOUR_MS },
  futures: {
    weekdays: [0, 1, 2, 3, 4],
    opensMs: 18 * HOUR_MS,
    closesMs: DAY_MS + 17 * HOUR_MS,
  },
  "us-stocks": {
    weekdays: [1, 2, 3, 4, 5],
    opensMs: 9 * HOUR_MS + 30 * MINUTE_MS,
    closesMs: 16 * HOUR_MS,
  },
};

/** `at` is in Unix milliseconds. Holidays are unknown here; they show as data that has stopped. */
export function isOpen(hours: TradingHours, at: number): boolean {
  if (hours === "always") return true;
  const longest = Math.ceil(SESSIONS[hours].closesMs / DAY_MS);
  const sessions = sessionsAround(hours, at, [-longest, 0]);
  return sessions.some(({ opensAt, closesAt }) => opensAt <= at && at < closesAt);
}

/** The first opening after `at`; `at` itself for a market that never closes. */
export function nextOpen(hours: TradingHours, at: number): number {
  if (hours === "always") return at;
  const sessions = sessionsAround(hours, at, [0, WEEK_DAYS]);
  const openings = sessions.map(({ opensAt }) => opensAt);
  return Math.min(...openings.filter((opensAt) => opensAt > at));
}

/** The last closing up to `at`; null for a market that never closes. */
export function lastClose(hours: TradingHours, at: number): number | null {
  if (hours === "always") return null;
  const sessions = sessionsAround(hours, at, [-2 * WEEK_DAYS, 0]);
  const closings = sessions.map(({ closesAt }) => closesAt);
  return Math.max(...closings.filter((closesAt) => closesAt <= at));
}

/** Sessions that start within some days before and after `at`. */
function sessionsAround(
  hours: Exclude<TradingHours, "always">,
  at: number,
  [firstDay, lastDay]: [number, number],
): { opensAt: number; closesAt: number }[] {
  const { weekdays, opensMs, closesMs } = SESSIONS[hours];
  const today = Math.floor((at + offsetMs(at)) / DAY_MS);
  return Array.from({ length: lastDay - firstDay + 1 }, (_, index) => today + firstDay + index)
    .filter((day) => weekdays.includes(new Date(day * DAY_MS).getUTCDay()))
    .map((day) => ({
      opensAt: inUtc(day * DAY_MS + opensMs),
      closesAt: inUtc(day * DAY_MS + closesMs),
    }));
}

/** Unix milliseconds of a wall clock time in New York. */
function inUtc(wallClockMs: number): number {
  return wallClockMs - offsetMs(wallClockMs - STANDARD_OFFSET_MS);
}

function offsetMs(at: number): number {
  return tzOffset(NEW_YORK, new Date(at)) * MINUTE_MS;
}

/** Just after a close an exchange may lack the newest candle, and in a quiet minute no one trades. */
const STOPPED_AFTER_CANDLES = 3;

/** Whether a series ends too early for `now`, considering trading hours and the provider's delay. */
export function isStale(
  series: Pick<CandleSeries, "candles" | "market">,
  { timeframe, now }: { timeframe: Timeframe; now: number },
): boolean {
  const last = series.candles.at(-1);
  if (!last) return true;
  const { hours, delayMs } = series.market ?? { hours: "always", delayMs: 0 };
  const until = now - delayMs;
  const lengthMs = TIMEFRAME_MS[timeframe];
  let missed = 0;
  let slot = last.time + lengthMs;
  while (missed < STOPPED_AFTER_CANDLES && slot + lengthMs <= until) {
    const opensAt = isOpen(hours, slot) ? slot : nextOpen(hours, slot);
    if (opensAt < slot + lengthMs) {
      missed += 1;
      slot += lengthMs;
    } else {
      slot = openingTime(opensAt, timeframe);
    }
  }
  return missed >= STOPPED_AFTER_CANDLES;
}
