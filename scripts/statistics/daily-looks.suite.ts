import { edgeClaim } from "@shared/stats/edge-claim.ts";
import { type DatedSums, groupIntoBlocks } from "@shared/stats/intervals.ts";
import { addDays, addTrades, type TradeSums, tallySignals } from "@shared/stats/tally.ts";
import { simulateTrades, type TradeProcess } from "@shared/testing/simulated-trades.ts";
import { expect, it } from "vitest";

/** The records have the seeds 1 to 2,000. */
const YEARS = 2_000;
const DAYS = 365;
const TIMEOUT_MS = 30 * 60_000;

/** Trades of an hourly and of a daily timeframe in markets that move together, many of them open at the same time. */
const YEAR: Omit<TradeProcess, "seed"> = {
  days: DAYS,
  instruments: 6,
  everyHours: 8,
  chance: 0.15,
  holdHours: 24,
  slow: { everyHours: 24, chance: 0.03, holdHours: 480, distance: 5 },
};

type DayTrades = DatedSums & TradeSums;

function daysOf(seed: number, process: Omit<TradeProcess, "seed">): DayTrades[] {
  const { days } = tallySignals(simulateTrades({ ...process, seed }));
  return days
    .map((day) => ({
      ...addTrades(addDays([day]).buckets),
      day: day.day,
      heldHours: day.heldHours,
    }))
    .toSorted((a, b) => a.day - b.day);
}

/** What is claimed on the first of all days on which anything is. */
function firstClaim(days: readonly DayTrades[], breakEven: number): "better" | "worse" | null {
  for (let look = 1; look <= days.length; look += 1) {
    const blocks = groupIntoBlocks(days.slice(0, look)).map(addTrades);
    const { edge_bounds: bounds } = edgeClaim(blocks, breakEven);
    if (bounds && bounds.low > breakEven) return "better";
    if (bounds && bounds.high < 0) return "worse";
  }
  return null;
}

function claimsOf(process: Omit<TradeProcess, "seed">, years: number, breakEven = 0) {
  const claims = Array.from({ length: years }, (_, index) =>
    firstClaim(daysOf(index + 1, process), breakEven),
  );
  const share = (claim: string) => claims.filter((made) => made === claim).length / years;
  return { better: share("better"), worse: share("worse") };
}

it(
  "of 2,000 years without an edge, each looked at every day, at most 5% ever claim one",
  () => {
    const { better, worse } = claimsOf(YEAR, YEARS);
    console.log({ better, worse });
    expect(better + worse).toBeLessThanOrEqual(0.05);
  },
  TIMEOUT_MS,
);

it(
  "of 200 years with an edge, most claim it",
  () => {
    const { better, worse } = claimsOf({ ...YEAR, headStart: 1 }, 200);
    console.log({ better, worse });
    expect(better).toBeGreaterThan(0.8);
    expect(worse).toBe(0);
  },
  TIMEOUT_MS,
);
