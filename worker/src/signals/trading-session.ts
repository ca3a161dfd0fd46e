import type { Timeframe } from "@shared/contract/candle.ts";

/** The great trading centres, by the hours of UTC in which each sets the pace; they overlap. */
const CENTRES = [
  { name: "Asia", fromHour: 0, untilHour: 9 },
  { name: "London", fromHour: 7, untilHour: 16 },
  { name: "New York", fromHour: 12, untilHour: 21 },
] as const;

const SATURDAY = 6;
const SUNDAY = 0;

/** Who is at work at a moment. */
export interface TradingSession {
  /** Empty in the late evening of UTC, when all are away. */
  centres: (typeof CENTRES)[number]["name"][];
  /** Saturday or Sunday in UTC: crypto trades on, thinly; the rest is closed for most of it. */
  isWeekend: boolean;
}

/** The session at `time`, Unix milliseconds; null for daily candles, each of which spans them all. */
export function tradingSession(options: {
  timeframe: Timeframe;
  time: number;
}): TradingSession | null {
  if (options.timeframe === "1d") return null;
  const date = new Date(options.time);
  const [hour, day] = [date.getUTCHours(), date.getUTCDay()];
  return {
    centres: CENTRES.filter(({ fromHour, untilHour }) => hour >= fromHour && hour < untilHour).map(
      ({ name }) => name,
    ),
    isWeekend: day === SATURDAY || day === SUNDAY,
  };
}
