import type { BenchDifference, BenchPair } from "@shared/contract/analyst-bench.ts";
import type { ArmDaySums, BenchDayRecord, PairDaySums } from "../database/models/analyst-bench.ts";
import {
  confidenceSequence,
  type SequenceLevel,
  sequenceSpread,
  tradesUntilKnown,
} from "./confidence-sequence.ts";
import {
  type ClusterSum,
  dayNumber,
  type Estimate,
  groupBy,
  groupIntoBlocks,
  sumOf,
} from "./intervals.ts";

/** One analysis of an arm, as far as it is over. */
export interface JudgedAnalysis {
  armKey: string;
  /** Symbol and timeframe. */
  market: string;
  /** Close of the candle, Unix milliseconds. */
  closedAt: number;
  status: "completed" | "failed";
  isTrade: boolean;
  /** The trade is not over. */
  isPending: boolean;
  /** Null without a trade that was filled and is over. */
  closed: ClosedShadow | null;
  latencyMs: number;
  /** Null if the price of the model is not known. */
  costUsd: number | null;
}

export interface ClosedShadow {
  /** In R, after costs. */
  r: number;
  /** Stated chance, chance by the levels and score, all 0–1. */
  stated: number;
  baseline: number;
  score: number;
  /** Null for a trade that was closed at its hold limit. */
  won: boolean | null;
  heldHours: number;
}

/** The oldest candle of each arm and market whose trade is not over; by `openKey`, Unix milliseconds. */
export type OldestOpen = ReadonlyMap<string, number>;

export const openKey = (armKey: string, market: string): string => `${armKey}|${market}`;

/**
 * Sums of a day. A pair is compared at the candles before the oldest open trade of either arm in that market: trades that
 * are over early are more often losses, so a day must not be counted by what is over first.
 */
export function sumBenchDay(
  day: string,
  { analyses, oldestOpen }: { analyses: readonly JudgedAnalysis[]; oldestOpen: OldestOpen },
): BenchDayRecord {
  const byArm = groupBy(analyses, ({ armKey }) => armKey);
  const keys = [...byArm.keys()].toSorted();
  const arms = keys.map((key) => sumArm(key, byArm.get(key) ?? []));
  const comparing = new PairSums(keys, oldestOpen);
  for (const atCandle of groupBy(analyses, candleOf).values()) comparing.add(atCandle);
  return { _id: day, arms, pairs: comparing.pairs(), isOpen: comparing.leftOut };
}

const candleOf = ({ market, closedAt }: JudgedAnalysis): string => `${market} ${closedAt}`;

function sumArm(key: string, analyses: readonly JudgedAnalysis[]): ArmDaySums {
  const completed = analyses.filter(({ status }) => status === "completed");
  const closed = completed.flatMap((each) => each.closed ?? []);
  const decided = closed.filter(({ won }) => won !== null);
  const known = analyses.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    key,
    analyses: completed.length,
    waits: completed.filter(({ isTrade }) => !isTrade).length,
    failed: analyses.length - completed.length,
    pending: completed.filter(({ isPending }) => isPending).length,
    decided: decided.length,
    trades: closed.length,
    sumR: sumOf(closed, "r"),
    scoreSum: sumOf(closed, "score"),
    chanceSum: sumOf(closed, "baseline"),
    squareErrors: decided.reduce((sum, { stated, won }) => sum + (stated - Number(won)) ** 2, 0),
    baselineErrors: decided.reduce(
      (sum, { baseline, won }) => sum + (baseline - Number(won)) ** 2,
      0,
    ),
    heldHours: heldHoursOf(closed),
    costUsd: known.reduce((sum, cost) => sum + cost, 0),
    costed: known.length,
    latencies: latencyClasses(completed.map(({ latencyMs }) => latencyMs)),
  };
}

const heldHoursOf = (closed: readonly ClosedShadow[]) => ({
  count: closed.length,
  sum: sumOf(closed, "heldHours"),
});

/** Ratio of two classes of latency: percentiles are exact to 5 %. */
const CLASS_RATIO = 1.1;

const latencyClass = (latencyMs: number): number =>
  Math.round(Math.log(Math.max(latencyMs, 1)) / Math.log(CLASS_RATIO));

function latencyClasses(latencies: readonly number[]): ArmDaySums["latencies"] {
  return [...groupBy(latencies, latencyClass)].map(([name, group]): [number, number] => [
    name,
    group.length,
  ]);
}

/** Milliseconds, to two digits; null without any. */
export function latencyPercentile(
  classes: readonly ArmDaySums["latencies"][number][],
  share: number,
): number | null {
  const total = classes.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [name, count] of classes.toSorted(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= share * total) return Number((CLASS_RATIO ** name).toPrecision(2));
  }
  return null;
}

/** Compares each two arms at the candles of a day. */
class PairSums {
  /** Whether candles wait for earlier trades. */
  leftOut = false;
  readonly #sums = new Map<string, PairDaySums>();
  readonly #index: Map<string, number>;
  readonly #oldestOpen: OldestOpen;

  constructor(keys: readonly string[], oldestOpen: OldestOpen) {
    this.#index = new Map(keys.map((key, index) => [key, index]));
    this.#oldestOpen = oldestOpen;
  }

  add(atCandle: readonly JudgedAnalysis[]): void {
    const order = ({ armKey }: JudgedAnalysis) => this.#index.get(armKey) ?? 0;
    const completed = atCandle
      .filter(({ status }) => status === "completed")
      .toSorted((a, b) => order(a) - order(b));
    for (const [index, a] of completed.entries()) {
      for (const b of completed.slice(index + 1)) this.#compare(a, b);
    }
  }

  pairs(): PairDaySums[] {
    return [...this.#sums.values()];
  }

  #compare(a: JudgedAnalysis, b: JudgedAnalysis): void {
    if (this.#waits(a) || this.#waits(b)) {
      this.leftOut = true;
      return;
    }
    const closed = [a.closed, b.closed].filter((each) => each !== null);
    if (closed.length === 0) return;
    const sums = this.#sumsOf(a.armKey, b.armKey);
    sums.count += 1;
    sums.sumR += (a.closed?.r ?? 0) - (b.closed?.r ?? 0);
    // What a candle depends on ends with the longer of the two trades.
    sums.heldHours.count += 1;
    sums.heldHours.sum += Math.max(...closed.map(({ heldHours }) => heldHours));
    const [brierA, brierB] = [brierOf(a.closed), brierOf(b.closed)];
    if (brierA === null || brierB === null) return;
    sums.brierCount += 1;
    sums.brierSum += brierA - brierB;
  }

  #waits({ armKey, market, closedAt }: JudgedAnalysis): boolean {
    const open = this.#oldestOpen.get(openKey(armKey, market));
    return open !== undefined && closedAt >= open;
  }

  #sumsOf(a: string, b: string): PairDaySums {
    const key = `${a}|${b}`;
    const known = this.#sums.get(key);
    if (known) return known;
    const heldHours = { count: 0, sum: 0 };
    const sums = { a, b, count: 0, sumR: 0, brierCount: 0, brierSum: 0, heldHours };
    this.#sums.set(key, sums);
    return sums;
  }
}

const brierOf = (closed: ClosedShadow | null): number | null =>
  closed === null || closed.won === null ? null : (closed.stated - Number(closed.won)) ** 2;

/** At most this share of all records ever has a false claim about any of their pairs. */
const FALSE_CLAIMS = 0.05;

/** Common candles until which a difference of 0.15 R (SD 1.3 R) is to be found. */
const HORIZON = 800;

/** Of the figures of one arm. */
const ARM_LEVEL: SequenceLevel = { alpha: FALSE_CLAIMS, horizon: HORIZON };

/** Each pair gets the same part (Bonferroni), whatever the pairs have to do with each other. */
export const pairLevel = (arms: number): SequenceLevel => ({
  alpha: FALSE_CLAIMS / Math.max(1, (arms * (arms - 1)) / 2),
  horizon: HORIZON,
});

export interface ComparedPair {
  pair: BenchPair;
  moreNeeded: number | null;
}

/** @param days of the pair, those without common candles left out */
export function comparePair(
  { a, b }: { a: string; b: string },
  days: readonly { day: string; sums: PairDaySums }[],
  level: SequenceLevel,
): ComparedPair {
  const dated = days.map(({ day, sums }) => ({
    ...sums,
    day: dayNumber(Date.parse(day)),
  }));
  const blocks = groupIntoBlocks(dated);
  const results = blocks.map((block) => clusterOf(block, "count", "sumR"));
  const briers = blocks.map((block) => clusterOf(block, "brierCount", "brierSum"));
  const difference = confidenceSequence(results, level);
  const spread = sequenceSpread(results);
  const common = sumOf(results, "count");
  const needed = spread && tradesUntilKnown({ ...spread, ...level }, 0);
  return {
    pair: {
      a,
      b,
      common,
      difference_r: presentDifference(results, difference),
      difference_brier: presentDifference(briers, confidenceSequence(briers, level)),
      conclusive: isConclusive(difference),
    },
    moreNeeded: needed === null ? null : needed - common,
  };
}

/** An interval that excludes 0. */
export const isConclusive = (difference: Estimate | null): boolean =>
  difference !== null && (difference.low > 0 || difference.high < 0);

const clusterOf = <Count extends string, Sum extends string>(
  block: readonly Readonly<Record<Count | Sum, number>>[],
  count: Count,
  sum: Sum,
): ClusterSum => ({ count: sumOf<Count>(block, count), sum: sumOf<Sum>(block, sum) });

function presentDifference(
  clusters: readonly ClusterSum[],
  estimate: Estimate | null,
): BenchDifference {
  if (estimate) return estimate;
  const count = sumOf(clusters, "count");
  return { value: count === 0 ? null : sumOf(clusters, "sum") / count, low: null, high: null };
}

export interface ArmFigures {
  expectancy_r: Estimate | null;
  edge: Estimate | null;
  brier_skill: Estimate | null;
}

type ArmDays = readonly { day: string; sums: ArmDaySums }[];

const blocksOf = (days: ArmDays) =>
  groupIntoBlocks(
    days
      .filter(({ sums }) => sums.trades > 0)
      .map(({ day, sums }) => ({ ...sums, day: dayNumber(Date.parse(day)) })),
  );

/** Mean result of the trades of one arm, with an interval that holds at every look. */
export const meanOfArm = (days: ArmDays): Estimate | null =>
  confidenceSequence(
    blocksOf(days).map((block) => clusterOf(block, "trades", "sumR")),
    ARM_LEVEL,
  );

/** Figures of one arm, with intervals that hold at every look at this arm. */
export function figuresOfArm(days: ArmDays): ArmFigures {
  const blocks = blocksOf(days);
  const edges = blocks.map((block) => ({
    count: sumOf(block, "trades"),
    sum: sumOf(block, "scoreSum") - sumOf(block, "chanceSum"),
  }));
  return {
    expectancy_r: meanOfArm(days),
    edge: confidenceSequence(edges, ARM_LEVEL),
    brier_skill: brierSkillOf(blocks),
  };
}

/** The mean gain over the chance of the levels, in units of the error of that chance. */
function brierSkillOf(
  blocks: readonly (readonly ArmDaySums[] | readonly Omit<ArmDaySums, "day">[])[],
): Estimate | null {
  const gains = blocks.map((block) => ({
    count: sumOf(block, "decided"),
    sum: sumOf(block, "baselineErrors") - sumOf(block, "squareErrors"),
  }));
  const decided = sumOf(gains, "count");
  const gain = confidenceSequence(gains, ARM_LEVEL);
  const baseline = blocks.reduce((sum, block) => sum + sumOf(block, "baselineErrors"), 0) / decided;
  if (!gain || !(baseline > 0)) return null;
  return { value: gain.value / baseline, low: gain.low / baseline, high: gain.high / baseline };
}
