import { beforeAll, describe, expect, it } from "vitest";
import { RUNS_ALL_CASES } from "../testing/random-cases.ts";
import { simulateTrades, type TradeProcess } from "../testing/simulated-trades.ts";
import type { Estimate } from "./intervals.ts";
import { computeMetrics, type PerformanceMetrics } from "./performance-metrics.ts";
import { tallySignals } from "./tally.ts";

/**
 * Repetitions of each process. The share of intervals that hold the true value then has a standard error of 0.9
 * percentage points; of 0.5 where all cases run.
 */
const REPETITIONS = RUNS_ALL_CASES ? 2_000 : 600;
/** The records of one process take 1 to 2 seconds of computing time, and much longer on a busy machine. */
const HOOK_TIMEOUT_MS = 120_000;

type Process = Omit<TradeProcess, "seed">;

/** About 240 trades, most of them open at the same time as others, in markets that move together. */
const OVERLAPPING: Process = {
  days: 45,
  instruments: 6,
  everyHours: 8,
  chance: 0.3,
  holdHours: 24,
};
/** About 400 trades of an hourly timeframe, and a few of a daily one on the same prices, which are open for weeks. */
const MIXED: Process = {
  ...OVERLAPPING,
  chance: 0.5,
  slow: { everyHours: 24, chance: 0.027, holdHours: 480, distance: 5 },
};
/** Every third trade is of the daily timeframe. */
const EVENLY_MIXED: Process = {
  ...OVERLAPPING,
  days: 150,
  chance: 0.08,
  slow: { everyHours: 24, chance: 0.11, holdHours: 480, distance: 5 },
};
/** About 160 trades, each on prices of its own. */
const INDEPENDENT: Process = { ...OVERLAPPING, days: 30, isIndependent: true };

const recordOf = (process: Process, seed: number): PerformanceMetrics =>
  computeMetrics(tallySignals(simulateTrades({ ...process, seed })));
const recordsOf = (process: Process): PerformanceMetrics[] =>
  Array.from({ length: REPETITIONS }, (_, index) => recordOf(process, index + 1));

const sumOf = (
  records: readonly PerformanceMetrics[],
  measure: (figures: PerformanceMetrics) => number,
): number => records.reduce((total, figures) => total + measure(figures), 0);
const shareOf = (
  records: readonly PerformanceMetrics[],
  isSo: (figures: PerformanceMetrics) => boolean,
): number => records.filter(isSo).length / records.length;

/** Means over the trades of all records: the true values, as nearly as so many records show. */
function trueValues(records: readonly PerformanceMetrics[]) {
  const trades = sumOf(records, (figures) => figures.trades);
  const wins = sumOf(records, ({ counts }) => counts.wins);
  return {
    win_rate: wins / sumOf(records, ({ counts }) => counts.decided),
    lift: sumOf(records, (record) => (record.lift?.value ?? Number.NaN) * record.trades) / trades,
    expectancy_r: sumOf(records, (figures) => figures.total_r) / trades,
  };
}

const holds = (estimate: Estimate | null, value: number): boolean =>
  estimate !== null && estimate.low <= value && value <= estimate.high;

/** Overlapping or not, with one or two timeframes. */
const PROCESSES = [
  { name: "overlapping trades without an edge", process: OVERLAPPING },
  { name: "independent trades", process: INDEPENDENT },
  { name: "a few trades of a long timeframe among many of a short one", process: MIXED },
];
/** `npm run test:statistics` simulates these too. */
const FURTHER_PROCESSES = [
  { name: "overlapping trades with an edge", process: { ...OVERLAPPING, drift: 0.02 } },
  { name: "trades of two timeframes", process: EVENLY_MIXED, mostIndependent: 0.85 },
];

interface Coverage {
  name: string;
  process: Process;
  mostIndependent?: number;
}

describe.each<Coverage>(RUNS_ALL_CASES ? [...PROCESSES, ...FURTHER_PROCESSES] : PROCESSES)(
  "the 95% intervals of $name",
  ({ process, mostIndependent = 0.75 }) => {
    const { drift = 0, isIndependent = false } = process;
    let records: PerformanceMetrics[];
    beforeAll(() => {
      records = recordsOf(process);
    }, HOOK_TIMEOUT_MS);

    it("exist", () => {
      expect(records.filter(({ lift }) => lift === null)).toHaveLength(0);
    });

    it.each(["win_rate", "lift", "expectancy_r"] as const)(
      "hold the true value in 93 to 97 of 100 records: %s",
      (name) => {
        const value = trueValues(records)[name];
        const covered = shareOf(records, (figures) => holds(figures[name], value));
        expect(covered).toBeGreaterThanOrEqual(0.93);
        expect(covered).toBeLessThanOrEqual(0.97);
      },
    );

    it(`show a better record than chance in ${drift > 0 ? "most" : "at most 5"} of 100 records`, () => {
      const better = shareOf(records, ({ lift }) => lift !== null && lift.low > 0);
      if (drift > 0) expect(better).toBeGreaterThan(0.6);
      else expect(better).toBeLessThanOrEqual(0.05);
    });

    it(`count ${isIndependent ? "nearly all" : "fewer"} trades as independent`, () => {
      const trades = sumOf(records, (figures) => figures.trades);
      const share = sumOf(records, (figures) => figures.effective_trades) / trades;
      if (isIndependent) expect(share).toBeGreaterThan(0.85);
      else expect(share).toBeLessThan(mostIndependent);
    });
  },
);

describe("the hold limit", () => {
  /** The price moves one tick in favour of each trade right after its entry, and has no drift from there on. */
  const process: Process = {
    ...INDEPENDENT,
    days: 1_000,
    everyHours: 24,
    chance: 1,
    instruments: 20,
    headStart: 1,
  };

  const records = [2, 6, 24, 240].map((holdHours) =>
    computeMetrics(tallySignals(simulateTrades({ ...process, holdHours, seed: 1 }))),
  );

  it("does not change the edge of the same process", () => {
    for (const { lift } of records) {
      expect(Math.abs((lift?.value ?? Number.NaN) - HEAD_START_EDGE)).toBeLessThan(0.01);
    }
  });

  it("would change it if only decided trades counted", () => {
    const edges = records.map(
      ({ win_rate: won, no_edge_rate: baseline }) =>
        (won?.value ?? Number.NaN) - (baseline ?? Number.NaN),
    );
    expect(Math.max(...edges) - Math.min(...edges)).toBeGreaterThan(0.07);
  });
});

/**
 * What a start of one tick is worth: its share of the distance between the levels, E[1 / (stop + target)], of stops of
 * 4 to 9 ticks and targets 1 to 3 times as far.
 */
const HEAD_START_EDGE = 0.0576;
