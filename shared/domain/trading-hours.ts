import { tzOffset } from "@date-fns/tz";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { findInstrument, type TradingHours } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { LRUCache } from "lru-cache";
import type { Database } from "../database/database.ts";
import { ANALYSIS_SETUP_ID, MARKET_SNAPSHOT_ID } from "../database/models/worker-reports.ts";

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

/** All sessions open and close at full or at half hours. */
const STEP_MS = HOUR_MS / 2;
const MAX_STEPS = 10_000;

/** Whether markets are open, by the half hour: candles ask for each minute. */
const openSteps: Record<Exclude<TradingHours, "always">, LRUCache<number, boolean>> = {
  forex: new LRUCache({ max: MAX_STEPS }),
  futures: new LRUCache({ max: MAX_STEPS }),
  "us-stocks": new LRUCache({ max: MAX_STEPS }),
};

/** `at` is in Unix milliseconds. Holidays are unknown here; they show as data that has stopped. */
export function isOpen(hours: TradingHours, at: number): boolean {
  if (hours === "always") return true;
  const step = Math.floor(at / STEP_MS);
  const known = openSteps[hours].get(step);
  if (known !== undefined) return known;
  const found = isInSession(hours, at);
  openSteps[hours].set(step, found);
  return found;
}

function isInSession(hours: Exclude<TradingHours, "always">, at: number): boolean {
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

/** The first closing after `at`; null for a market that never closes. */
export function nextClose(hours: TradingHours, at: number): number | null {
  if (hours === "always") return null;
  const longest = Math.ceil(SESSIONS[hours].closesMs / DAY_MS);
  const sessions = sessionsAround(hours, at, [-longest, WEEK_DAYS]);
  const closings = sessions.map(({ closesAt }) => closesAt);
  return Math.min(...closings.filter((closesAt) => closesAt > at));
}

/** Overnight breaks are shorter. */
const WEEKEND_MIN_MS = DAY_MS;

/** The first closing after `at` that is not followed by an opening within a day; null for a market that never closes. */
export function nextWeekendClose(hours: TradingHours, at: number): number | null {
  let closesAt = nextClose(hours, at);
  while (closesAt !== null && nextOpen(hours, closesAt) - closesAt < WEEKEND_MIN_MS) {
    closesAt = nextClose(hours, closesAt);
  }
  return closesAt;
}

interface CandleClose {
  timeframe: Timeframe;
  /** Unix milliseconds. */
  closesAt: number;
}

/** Whether a candle with trades closes then and the market stays open. */
export function isOpenClose(hours: TradingHours, { timeframe, closesAt }: CandleClose): boolean {
  const startsAt = closesAt - TIMEFRAME_MS[timeframe];
  const wasTraded = isOpen(hours, startsAt) || nextOpen(hours, startsAt) < closesAt;
  return wasTraded && isOpen(hours, closesAt);
}

/** The next close after `at` at which the market stays open, in Unix milliseconds; null if there is none within two weeks. */
export function nextOpenClose(
  hours: TradingHours,
  timeframe: Timeframe,
  at: number,
): number | null {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const closeAfter = (time: number) => Math.floor(time / lengthMs) * lengthMs + lengthMs;
  let closesAt = closeAfter(at);
  while (closesAt < at + 2 * WEEK_DAYS * DAY_MS) {
    if (isOpenClose(hours, { timeframe, closesAt })) return closesAt;
    closesAt = closeAfter(isOpen(hours, closesAt) ? closesAt : nextOpen(hours, closesAt));
  }
  return null;
}

/** Trading hours of symbols: those of the provider that was last read, otherwise those of the instrument. */
export async function readTradingHours(
  database: Database,
): Promise<(symbol: string) => TradingHours> {
  const [snapshot, setup] = await Promise.all([
    database.marketSnapshots.findById(MARKET_SNAPSHOT_ID).select({ "quotes.closes": 0 }).lean(),
    database.analysisSetup.findById(ANALYSIS_SETUP_ID).lean(),
  ]);
  const quotes = new Map(snapshot?.quotes.map((quote) => [quote.symbol, quote.hours]));
  return (symbol) =>
    quotes.get(symbol) ??
    (setup?.data === "replay" ? "always" : (findInstrument(symbol)?.hours ?? "always"));
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

/** By hour. To work one out takes longer than all the rest of a question about a minute. */
const offsets = new LRUCache<number, number>({ max: 10_000 });

/** New York's clocks change at full hours only. */
function offsetMs(at: number): number {
  const hour = Math.floor(at / HOUR_MS);
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  const offset = tzOffset(NEW_YORK, new Date(at)) * MINUTE_MS;
  offsets.set(hour, offset);
  return offset;
}
