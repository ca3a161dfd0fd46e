import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { openingTime } from "../candles/candle-grid.ts";
import { sourceTimeframe } from "../candles/source-timeframe.ts";

const DAY_MS = TIMEFRAME_MS["1d"];

/** How far back the endpoint goes for each interval; a day less than it allows. */
const HISTORY_DAYS: Partial<Record<Timeframe, number>> = {
  "1m": 7,
  "5m": 59,
  "15m": 59,
  "30m": 59,
  "1h": 729,
  "1d": 3_650,
};

/** Share of all time that a market trades for. */
const OPEN_SHARE: Record<TradingHours, number> = {
  always: 1,
  forex: 5 / 7,
  futures: ((23 / 24) * 5) / 7,
  "us-stocks": ((6.5 / 24) * 5) / 7,
};
const WEEKDAYS_SHARE = 5 / 7;

/** Rows that are expected to be missing, as those of holidays and quiet times, and a long weekend at the least. */
const SPARE_SHARE = 1.1;
const SPARE_DAYS = 5;

/** What to ask the chart endpoint for; times in Unix milliseconds. */
export interface ChartQuery {
  /** Timeframe of the rows, of which the one asked for is built where it is a longer one. */
  source: Timeframe;
  from: number;
  until: number;
}

/**
 * Plans a request that brings `count` closed candles if the endpoint has as many. There are no rows of 4 hours; and
 * hourly rows of the stock market open at half past, off the grid of Unix time, so that its hours are built from
 * rows of 30 minutes.
 */
export function planChart(options: {
  timeframe: Timeframe;
  hours: TradingHours;
  count: number;
  now: number;
}): ChartQuery {
  const { timeframe, hours, count, now } = options;
  const source = sourceTimeframe(timeframe, sourcesFor(hours)) ?? timeframe;
  const share = timeframe === "1d" ? WEEKDAYS_SHARE : OPEN_SHARE[hours];
  const openDays = (count * TIMEFRAME_MS[timeframe]) / DAY_MS;
  const neededDays = (openDays / share) * SPARE_SHARE + SPARE_DAYS;
  const days = Math.min(neededDays, HISTORY_DAYS[source] ?? neededDays);
  return { source, from: openingTime(now - days * DAY_MS, timeframe), until: now };
}

function sourcesFor(hours: TradingHours): string[] {
  const sources = Object.keys(HISTORY_DAYS);
  return hours === "us-stocks" ? sources.filter((source) => source !== "1h") : sources;
}
