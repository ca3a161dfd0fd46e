import { DAY_MS } from "@shared/contract/constants.ts";
import type { EvidenceItem } from "@shared/contract/evidence.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { formatAtTick, type MarketBrief } from "../market-brief.ts";
import { candlesUntil } from "./candles-until.ts";
import { type EvidenceSource, isoTime } from "./evidence-source.ts";

/** Two weeks, and days that are missing. */
const FETCHED_DAYS = 20;

const WEEK_MS = 7 * DAY_MS;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const startOfWeek = (time: number): number =>
  Math.floor((time - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;

/** High, low and close of the last day and of the last week that had ended, in UTC; a week starts on Monday. */
export const previousPeriods: EvidenceSource[] = (["day", "week"] as const).map((name) => ({
  key: `previous_${name}`,
  title: `Previous ${name}`,
  covers: () => true,
  async gather({ brief, series }, deps) {
    const until = brief.lastCandleAt;
    const request = { symbol: brief.symbol, timeframe: "1d", limit: FETCHED_DAYS, until } as const;
    const all = await candlesUntil(request, series, deps);
    const thisWeek = startOfWeek(until);
    const days =
      name === "day"
        ? all.slice(-1)
        : all.filter(({ time }) => time >= thisWeek - WEEK_MS && time < thisWeek);
    const last = days.at(-1);
    if (!last) return [];
    const endsAt = name === "day" ? last.time + DAY_MS : thisWeek;
    return [describe(brief, { name, days, endsAt, source: series.provider })];
  },
}));

function describe(
  { scale }: MarketBrief,
  period: { name: "day" | "week"; days: readonly Candle[]; endsAt: number; source: string },
): EvidenceItem {
  const { name, days, endsAt, source } = period;
  const high = Math.max(...days.map((day) => day.high));
  const low = Math.min(...days.map((day) => day.low));
  const close = days.at(-1)?.close ?? Number.NaN;
  const startsAt = name === "day" ? endsAt - DAY_MS : endsAt - WEEK_MS;
  const [highText, lowText, closeText] = [high, low, close].map((price) =>
    formatAtTick(price, scale),
  );
  const text = `Previous ${name} (from ${isoTime(startsAt).slice(0, 10)} UTC): high ${highText}, low ${lowText}, close ${closeText}`;
  return { key: `previous_${name}`, text, known_at: isoTime(endsAt), source };
}
