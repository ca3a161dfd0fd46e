import { tzOffset } from "@date-fns/tz";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { openingTime } from "./candles.ts";
import type { CandleSeries } from "./market-data.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;
const NEW_YORK = "America/New_York";
/** The offset of New York in winter; sessions begin and end hours away from the changes of its clocks. */
const STANDARD_OFFSET_MS = -5 * HOUR_MS;

/** Trading that begins on each of `weekdays` (0 is Sunday); milliseconds after midnight of that day in New York. */
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

/** From `opensAt` to just before `closesAt`, Unix milliseconds. */
interface Session {
  opensAt: number;
  closesAt: number;
}

/**
 * Whether a market trades at a moment, in Unix milliseconds. Holidays are not known here: what they close is
 * found by data that does not move on.
 */
export function isOpen(hours: TradingHours, at: number): boolean {
  if (hours === "always") return true;
  const longest = Math.ceil(SESSIONS[hours].closesMs / DAY_MS);
  const sessions = sessionsAround(hours, { at, daysBefore: longest, daysAfter: 0 });
  return sessions.some(({ opensAt, closesAt }) => opensAt <= at && at < closesAt);
}

/** The first opening after `at`, Unix milliseconds; `at` itself for a market that never closes. */
export function nextOpen(hours: TradingHours, at: number): number {
  if (hours === "always") return at;
  const sessions = sessionsAround(hours, { at, daysBefore: 0, daysAfter: WEEK_DAYS });
  const openings = sessions.map(({ opensAt }) => opensAt);
  return Math.min(...openings.filter((opensAt) => opensAt > at));
}

/** The last closing up to and including `at`, Unix milliseconds; null for a market that never closes. */
export function lastClose(hours: TradingHours, at: number): number | null {
  if (hours === "always") return null;
  const sessions = sessionsAround(hours, { at, daysBefore: 2 * WEEK_DAYS, daysAfter: 0 });
  const closings = sessions.map(({ closesAt }) => closesAt);
  return Math.max(...closings.filter((closesAt) => closesAt <= at));
}

/** The sessions that begin on one of the days around `at`. */
function sessionsAround(
  hours: Exclude<TradingHours, "always">,
  { at, daysBefore, daysAfter }: { at: number; daysBefore: number; daysAfter: number },
): Session[] {
  const { weekdays, opensMs, closesMs } = SESSIONS[hours];
  const today = Math.floor((at + offsetMs(at)) / DAY_MS);
  const length = daysBefore + 1 + daysAfter;
  return Array.from({ length }, (_, index) => today - daysBefore + index)
    .filter((day) => weekdays.includes(weekdayOf(day)))
    .map((day) => ({
      opensAt: inUtc(day * DAY_MS + opensMs),
      closesAt: inUtc(day * DAY_MS + closesMs),
    }));
}

/** Weekday, 0 for Sunday, of a day counted from 1970-01-01. */
function weekdayOf(day: number): number {
  return new Date(day * DAY_MS).getUTCDay();
}

/** The moment at which the clocks of New York show `wallClockMs`. */
function inUtc(wallClockMs: number): number {
  return wallClockMs - offsetMs(wallClockMs - STANDARD_OFFSET_MS);
}

function offsetMs(at: number): number {
  return tzOffset(NEW_YORK, new Date(at)) * MINUTE_MS;
}

/**
 * Candles of market time without news after which a feed counts as stopped: just after a close an exchange may still
 * lack the newest, and in a quiet minute nobody trades.
 */
const STOPPED_AFTER_CANDLES = 3;

/**
 * Whether a series ends earlier than it should at `now`, in Unix milliseconds. Hours for which its market was closed,
 * and the delay with which its provider publishes, are allowed for.
 */
export function isStale(
  series: Pick<CandleSeries, "candles" | "market">,
  { timeframe, now }: { timeframe: Timeframe; now: number },
): boolean {
  const last = series.candles.at(-1);
  if (!last) return true;
  const { hours, delayMs } = series.market ?? { hours: "always", delayMs: 0 };
  return hasStopped({ last, timeframe, hours, until: now - delayMs });
}

function hasStopped(feed: {
  last: Candle;
  timeframe: Timeframe;
  hours: TradingHours;
  until: number;
}): boolean {
  const { last, timeframe, hours, until } = feed;
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
