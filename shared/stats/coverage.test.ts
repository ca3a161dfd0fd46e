import { HOUR_MS } from "@shared/contract/constants.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { beforeAll, describe, expect, it } from "vitest";
import type { Estimate } from "./intervals.ts";
import { computeMetrics, type PerformanceMetrics } from "./performance-metrics.ts";
import { closedTrade, type PerformanceSample, tallySignals } from "./tally.ts";

const START = Date.UTC(2026, 0, 1);
const TICKS_PER_HOUR = 4;
/** Hours of history that the first trade needs. */
const TREND_HOURS = 24;
const PRICE = 1_000;

/** A process that makes trades on prices that move one tick at a time. */
interface TradeProcess {
  seed: number;
  days: number;
  instruments: number;
  /** Hours between two moments at which each instrument may get a trade, and the chance that it does. */
  everyHours: number;
  chance: number;
  /** Hours after which an open trade is closed. */
  holdHours: number;
  /** Chance of an up tick above one half. */
  drift?: number;
  /** Ticks that the price moves in favour of a trade right after its entry: an edge that does not depend on the hold. */
  headStart?: number;
  /** Each trade has prices of its own. By default, those of an instrument share one path. */
  isIndependent?: boolean;
}

/**
 * Trades with stops 4 to 9 ticks away and targets 1 to 3 times as far. Instruments share 70 % of their ticks, so their
 * prices move together. Each trade follows the last 24 hours of its instrument, so trades that overlap mostly have the
 * same side too; with a drift, all trades follow that. The same seed gives the same trades.
 */
function simulateTrades(process: TradeProcess): PerformanceSample[] {
  const random = xoroshiro128plus(process.seed);
  const paths = process.isIndependent ? null : tickPaths(process, random);
  return entryHours(process).flatMap((hour) =>
    Array.from({ length: process.instruments }, (_, instrument) => instrument)
      .filter(() => uniformFloat64(random) < process.chance)
      .map((instrument) => {
        const path = paths?.[instrument];
        const prices = path ? pathFrom(path, hour * TICKS_PER_HOUR) : freshPath(process, random);
        return takeTrade({ process, random, prices, side: sideOf(process, { path, hour }), hour });
      }),
  );
}

function entryHours({ days, everyHours }: TradeProcess): number[] {
  const count = Math.ceil((days * 24 - TREND_HOURS) / everyHours);
  return Array.from({ length: count }, (_, index) => TREND_HOURS + index * everyHours);
}

/** With the trend of the last 24 hours; with the drift where there is one. */
function sideOf(
  { drift = 0 }: TradeProcess,
  { path, hour }: { path: Int32Array | undefined; hour: number },
): 1 | -1 {
  if (!path || drift > 0) return 1;
  const start = hour * TICKS_PER_HOUR;
  const before = start - TREND_HOURS * TICKS_PER_HOUR;
  return (path[start] ?? 0) >= (path[before] ?? 0) ? 1 : -1;
}

/** Price of an instrument in ticks, so many ticks after a trade was made. */
type Prices = (ticks: number) => number;

function tickPaths(process: TradeProcess, random: RandomGenerator): Int32Array[] {
  const { days, instruments, holdHours, drift = 0 } = process;
  const length = (days * 24 + holdHours + 1) * TICKS_PER_HOUR;
  const paths = Array.from({ length: instruments }, () => new Int32Array(length));
  const upBelow = (0.5 + drift) * 0x1_0000;
  for (let tick = 1; tick < length; tick += 1) {
    const common = (random.next() & 0xffff) < upBelow ? 1 : -1;
    for (const path of paths) {
      const bits = random.next();
      const own = (bits & 0xffff) < upBelow ? 1 : -1;
      const isCommon = bits >>> 16 < 0.7 * 0x1_0000;
      path[tick] = (path[tick - 1] ?? 0) + (isCommon ? common : own);
    }
  }
  return paths;
}

function pathFrom(path: Int32Array, start: number): Prices {
  const base = path[start] ?? 0;
  return (ticks) => (path[start + ticks] ?? 0) - base;
}

/** Has to be asked for one tick after the other. */
function freshPath({ drift = 0 }: TradeProcess, random: RandomGenerator): Prices {
  const upBelow = (0.5 + drift) * 0x1_0000;
  let price = 0;
  return () => {
    price += (random.next() & 0xffff) < upBelow ? 1 : -1;
    return price;
  };
}

function takeTrade(options: {
  process: TradeProcess;
  random: RandomGenerator;
  prices: Prices;
  side: 1 | -1;
  hour: number;
}): PerformanceSample {
  const { process, random, prices, side, hour } = options;
  const { holdHours, headStart = 0 } = process;
  const stop = uniformInt(random, 4, 9);
  const target = Math.round(stop * (1 + 2 * uniformFloat64(random)));
  let held = 0;
  let gain = headStart;
  while (gain > -stop && gain < target && held < holdHours * TICKS_PER_HOUR) {
    held += 1;
    gain = headStart + side * prices(held);
  }
  const openedAt = START + hour * HOUR_MS;
  const reason = reasonOf({ gain, stop, target });
  return {
    category: CATEGORY_BY_REASON[reason],
    at: openedAt + (held * HOUR_MS) / TICKS_PER_HOUR,
    confidence: 0.7,
    calibratedConfidence: null,
    trade: closedTrade({
      reason,
      filled_at: new Date(openedAt).toISOString(),
      fill: PRICE,
      exit: PRICE + side * gain,
      r_multiple: gain / stop,
      stopLoss: PRICE - side * stop,
      takeProfit: PRICE + side * target,
    }),
  };
}

const CATEGORY_BY_REASON = { target: "win", stop: "loss", "hold-over": "expired" } as const;

function reasonOf(trade: {
  gain: number;
  stop: number;
  target: number;
}): keyof typeof CATEGORY_BY_REASON {
  if (trade.gain >= trade.target) return "target";
  return trade.gain <= -trade.stop ? "stop" : "hold-over";
}

/**
 * Repetitions of each process. The share of intervals that hold the true value then has a standard error of 0.9
 * percentage points.
 */
const REPETITIONS = 600;
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

describe.each([
  { name: "overlapping trades without an edge", process: OVERLAPPING },
  { name: "overlapping trades with an edge", process: { ...OVERLAPPING, drift: 0.02 } },
  { name: "independent trades", process: INDEPENDENT },
])("the 95% intervals of $name", ({ process }) => {
  const { drift = 0, isIndependent = false }: Process = process;
  let records: PerformanceMetrics[];
  beforeAll(() => {
    records = recordsOf(process);
  }, HOOK_TIMEOUT_MS);

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
    else expect(share).toBeLessThan(0.75);
  });
});

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
      ({ counts, no_edge_rate: baseline }) =>
        counts.wins / counts.decided - (baseline ?? Number.NaN),
    );
    expect(Math.max(...edges) - Math.min(...edges)).toBeGreaterThan(0.07);
  });
});

/**
 * What a start of one tick is worth: its share of the distance between the levels, E[1 / (stop + target)], of stops of
 * 4 to 9 ticks and targets 1 to 3 times as far.
 */
const HEAD_START_EDGE = 0.0576;
