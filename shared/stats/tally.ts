import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import {
  type AnalysisUsage,
  addUsage,
  NO_USAGE,
  sumOfUsage,
  type UsageSums,
} from "./analyst-usage.ts";
import {
  addClusters,
  type ClusterSum,
  type DatedSums,
  dayNumber,
  groupBy,
  holdingOf,
  sumOf,
} from "./intervals.ts";

/** Ten percentage points each; the last one includes 100. */
export const BUCKET_COUNT = 10;

export interface TradeSums {
  decided: number;
  wins: number;
  /** Won, lost or expired. */
  closed: number;
  /** A win scores 1, a loss 0, an expired trade in between. */
  scoreSum: number;
  chanceSum: number;
  edgeSquareSum: number;
  /** Baseline win rates of the decided ones, and their squared errors. */
  decidedChanceSum: number;
  chanceSquareErrorSum: number;
}

export interface ConfidenceBucket extends TradeSums {
  /** 0 is 0–10 %, 9 is 90–100 %. */
  index: number;
  /** Sum of the stated chances of decided trades, each 0–1. */
  statedSum: number;
  squareErrorSum: number;
}

/** Stated chance, score and baseline win rate of a closed trade, all 0–1. */
interface StatedTrade {
  stated: number;
  baseline: number;
  score: number;
  /** Null for an expired trade. */
  won: boolean | null;
}

export function bucketOf({ stated, baseline, score, won }: StatedTrade): ConfidenceBucket {
  const isDecided = won !== null;
  return {
    index: Math.min(BUCKET_COUNT - 1, Math.floor(stated * BUCKET_COUNT)),
    decided: Number(isDecided),
    wins: Number(won),
    closed: 1,
    scoreSum: score,
    chanceSum: baseline,
    edgeSquareSum: (score - baseline) ** 2,
    decidedChanceSum: isDecided ? baseline : 0,
    chanceSquareErrorSum: isDecided ? (baseline - Number(won)) ** 2 : 0,
    statedSum: isDecided ? stated : 0,
    squareErrorSum: isDecided ? (stated - Number(won)) ** 2 : 0,
  };
}

/** Adds up buckets of the same index, in the order of the index. */
export const addBuckets = (buckets: readonly ConfidenceBucket[]): ConfidenceBucket[] =>
  [...groupBy(buckets, ({ index }) => index)]
    .map(([index, group]) => ({
      index,
      ...addTrades(group),
      statedSum: sumOf(group, "statedSum"),
      squareErrorSum: sumOf(group, "squareErrorSum"),
    }))
    .toSorted((a, b) => a.index - b.index);

export const addTrades = (buckets: readonly TradeSums[]): TradeSums => ({
  decided: sumOf(buckets, "decided"),
  wins: sumOf(buckets, "wins"),
  closed: sumOf(buckets, "closed"),
  scoreSum: sumOf(buckets, "scoreSum"),
  chanceSum: sumOf(buckets, "chanceSum"),
  edgeSquareSum: sumOf(buckets, "edgeSquareSum"),
  decidedChanceSum: sumOf(buckets, "decidedChanceSum"),
  chanceSquareErrorSum: sumOf(buckets, "chanceSquareErrorSum"),
});

/** Mean squared error of the stated chances (Brier 1950): 0 is perfect. */
export function brierScore(buckets: readonly ConfidenceBucket[]): number {
  return sumOf(buckets, "squareErrorSum") / sumOf(buckets, "decided");
}

/** The same of the chances that follow from the levels alone, the baseline win rates. */
export function baselineBrierScore(buckets: readonly ConfidenceBucket[]): number {
  return sumOf(buckets, "chanceSquareErrorSum") / sumOf(buckets, "decided");
}

/**
 * Expected calibration error over ten equal buckets (Naeini et al. 2015): mean distance between stated and observed
 * win rate, weighted by signals; 0–1.
 */
export function expectedCalibrationError(buckets: readonly ConfidenceBucket[]): number {
  const gaps = buckets.map(({ statedSum, wins }) => Math.abs(statedSum - wins));
  return gaps.reduce((sum, gap) => sum + gap, 0) / sumOf(buckets, "decided");
}

/** Outcome of a signal. `win` and `loss` are decided at target or stop, `expired` is closed at the hold limit. */
export const OUTCOME_CATEGORIES = [
  "win",
  "loss",
  "expired",
  "not-filled",
  "wait",
  "failed",
  "pending",
] as const;
export type OutcomeCategory = (typeof OUTCOME_CATEGORIES)[number];

/** A signal in the statistics, without its owner. */
export interface PerformanceSample {
  category: OutcomeCategory;
  /** When it was closed, in Unix milliseconds. */
  at: number;
  /** Stated and calibrated confidence, 0–1. */
  confidence: number;
  calibratedConfidence: number | null;
  /** Null if no trade was closed. */
  trade: ClosedTrade | null;
  /** Of a WAIT, the trade that it rejected; null if that was not filled, absent if it has not ended. */
  rejected?: RejectedTrade | null;
  /** Absent if it was not measured. */
  usage?: AnalysisUsage;
}

export interface ClosedTrade {
  /** Time of the fill, in Unix milliseconds. */
  openedAt: number;
  /** Baseline win rate, 0–1. */
  baseline: number;
  /** 1 for a win, 0 for a loss, in between for an expired trade (`levelScore`). */
  score: number;
  /** Net of fees. */
  rMultiple: number;
  /** Distance from stop to target in R. */
  rangeR: number;
}

export interface RejectedTrade extends ClosedTrade {
  /** In Unix milliseconds. */
  closedAt: number;
}

export interface DaySums extends DatedSums {
  /** In R. */
  results: ClusterSum;
  /** Closed trades by stated and by calibrated confidence. */
  buckets: ConfidenceBucket[];
  calibratedBuckets: ConfidenceBucket[];
}

/** Trades that WAITs rejected, by the day of the WAIT. */
export interface RejectedSums extends DatedSums {
  /** In R. */
  results: ClusterSum;
  /** Scores less baseline win rates. */
  edges: ClusterSum;
}

/**
 * Sums over signals, from which all metrics follow. Tallies can be merged, so a long record costs as much as it has
 * days.
 */
export interface Tally {
  categories: Record<OutcomeCategory, number>;
  /** Closed trades. Sums are in R, `gains` and `losses` at least 0. */
  trades: TradeTotals;
  equity: EquitySegment;
  hours: EquityStep[];
  /** Days with closed trades, in order. */
  days: DaySums[];
  /** Never part of the trades. */
  rejected: RejectedTotals;
  usage: UsageSums;
}

interface TradeTotals {
  count: number;
  sum: number;
  gains: number;
  losses: number;
  /** What they lost beside their score: fees, spread, and exits beyond their levels. */
  costs: number;
  /** Distances from stop to target. */
  ranges: number;
}

interface RejectedTotals {
  notFilled: number;
  days: RejectedSums[];
}

export const emptyTally = (): Tally => ({
  categories: { win: 0, loss: 0, expired: 0, "not-filled": 0, wait: 0, failed: 0, pending: 0 },
  trades: { count: 0, sum: 0, gains: 0, losses: 0, costs: 0, ranges: 0 },
  equity: EMPTY_SEGMENT,
  hours: [],
  days: [],
  rejected: { notFilled: 0, days: [] },
  usage: NO_USAGE,
});

export function tallySignals(samples: readonly PerformanceSample[]): Tally {
  const inOrder = samples.toSorted((a, b) => a.at - b.at);
  const closed = inOrder.flatMap((signal) =>
    signal.trade ? { signal, at: signal.at, trade: signal.trade } : [],
  );
  const results = closed.map(({ trade }) => trade.rMultiple);
  return {
    categories: countCategories(inOrder),
    trades: addResults(closed.map(({ trade }) => totalsOf(trade))),
    equity: results.map(segmentOf).reduce(mergeSegments, EMPTY_SEGMENT),
    hours: joinHours(
      closed.map(({ at, trade }) => ({ at: at - (at % HOUR_MS), r: trade.rMultiple })),
    ),
    days: joinDays(closed.map(dayOf)),
    rejected: addRejected(inOrder.flatMap(rejectedOf)),
    usage: addUsage(inOrder.flatMap(({ usage }) => (usage ? sumOfUsage(usage) : []))),
  };
}

/** Merges tallies of one record, in order of time. */
export function mergeTallies(tallies: readonly Tally[]): Tally {
  return {
    categories: addCategories(tallies.map(({ categories }) => categories)),
    trades: addResults(tallies.map(({ trades }) => trades)),
    equity: tallies.map(({ equity }) => equity).reduce(mergeSegments, EMPTY_SEGMENT),
    hours: joinHours(tallies.flatMap(({ hours }) => hours)),
    days: joinDays(tallies.flatMap(({ days }) => days)),
    rejected: addRejected(tallies.map(({ rejected }) => rejected)),
    usage: addUsage(tallies.map(({ usage }) => usage)),
  };
}

function countCategories(samples: readonly PerformanceSample[]): Tally["categories"] {
  const { categories } = emptyTally();
  for (const { category } of samples) categories[category] += 1;
  return categories;
}

function addCategories(all: readonly Tally["categories"][]): Tally["categories"] {
  const { categories: sum } = emptyTally();
  for (const categories of all)
    for (const category of OUTCOME_CATEGORIES) sum[category] += categories[category];
  return sum;
}

const totalsOf = ({ rMultiple: r, score, baseline, rangeR }: ClosedTrade): TradeTotals => ({
  count: 1,
  sum: r,
  gains: Math.max(0, r),
  losses: Math.max(0, -r),
  costs: (score - baseline) * rangeR - r,
  ranges: rangeR,
});

const addResults = (all: readonly TradeTotals[]): TradeTotals => ({
  count: sumOf(all, "count"),
  sum: sumOf(all, "sum"),
  gains: sumOf(all, "gains"),
  losses: sumOf(all, "losses"),
  costs: sumOf(all, "costs"),
  ranges: sumOf(all, "ranges"),
});

function rejectedOf({ at, rejected }: PerformanceSample): RejectedTotals[] {
  if (rejected === undefined) return [];
  if (rejected === null) return [{ notFilled: 1, days: [] }];
  const { openedAt, closedAt, rMultiple, score, baseline } = rejected;
  const day = {
    day: dayNumber(at),
    heldHours: holdingOf({ openedAt, resolvedAt: closedAt }),
    results: { count: 1, sum: rMultiple },
    edges: { count: 1, sum: score - baseline },
  };
  return [{ notFilled: 0, days: [day] }];
}

const addRejected = (all: readonly RejectedTotals[]): RejectedTotals => ({
  notFilled: sumOf(all, "notFilled"),
  days: [
    ...groupBy(
      all.flatMap(({ days }) => days),
      ({ day }) => day,
    ),
  ].map(([day, group]) => ({ day, ...addRejectedDays(group) })),
});

export const addRejectedDays = (days: readonly RejectedSums[]): Omit<RejectedSums, "day"> => ({
  heldHours: addClusters(days.map(({ heldHours }) => heldHours)),
  results: addClusters(days.map(({ results }) => results)),
  edges: addClusters(days.map(({ edges }) => edges)),
});

function joinHours(steps: readonly EquityStep[]): EquityStep[] {
  const hours: EquityStep[] = [];
  for (const { at, r } of steps) {
    const last = hours.at(-1);
    if (last?.at === at) last.r += r;
    else hours.push({ at, r });
  }
  return hours;
}

function dayOf({ signal, trade }: { signal: PerformanceSample; trade: ClosedTrade }): DaySums {
  const { category, at, confidence, calibratedConfidence: calibrated } = signal;
  const { openedAt, baseline, score, rMultiple } = trade;
  const stated = { baseline, score, won: category === "expired" ? null : category === "win" };
  return {
    day: dayNumber(at),
    results: { count: 1, sum: rMultiple },
    heldHours: holdingOf({ openedAt, resolvedAt: at }),
    buckets: [bucketOf({ ...stated, stated: confidence })],
    calibratedBuckets: calibrated === null ? [] : [bucketOf({ ...stated, stated: calibrated })],
  };
}

const joinDays = (days: readonly DaySums[]): DaySums[] =>
  [...groupBy(days, ({ day }) => day)].map(([day, group]) => ({ day, ...addDays(group) }));

export const addDays = (days: readonly DaySums[]): Omit<DaySums, "day"> => ({
  results: addClusters(days.map(({ results }) => results)),
  heldHours: addClusters(days.map(({ heldHours }) => heldHours)),
  buckets: addBuckets(days.flatMap(({ buckets }) => buckets)),
  calibratedBuckets: addBuckets(days.flatMap(({ calibratedBuckets }) => calibratedBuckets)),
});

/** A resolution with the levels of its trade, in the quote currency. */
type ResolvedLevels = Pick<Resolution, "reason" | "filled_at" | "fill" | "exit" | "r_multiple"> & {
  /** As planned: results in R are by its distance from the stop. */
  entry: number;
  stopLoss: number;
  takeProfit: number;
};

/** A resolved trade in the statistics; null if it was not filled. Its baseline follows from the price of the fill. */
export function closedTrade(resolution: ResolvedLevels): ClosedTrade | null {
  const { reason, filled_at: filledAt, fill, exit, r_multiple: rMultiple, ...levels } = resolution;
  if (filledAt === null || fill === null || exit === null || rMultiple === null) return null;
  const score = {
    target: 1,
    stop: 0,
    both: 0,
    "not-filled": 0,
    "hold-over": levelScore(exit, levels),
    "no-data": levelScore(exit, levels),
  };
  return {
    openedAt: Date.parse(filledAt),
    baseline: baselineWinRate({ ...levels, entry: fill }),
    score: score[reason],
    rMultiple,
    rangeR:
      Math.abs(levels.takeProfit - levels.stopLoss) / Math.abs(levels.entry - levels.stopLoss),
  };
}

/** In the quote currency; `entry` is the price of the fill. */
interface Levels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Baseline win rate: the chance that a driftless price reaches the target before the stop, stop distance / (stop
 * distance + target distance) (gambler's ruin; Feller, vol. 1, ch. XIV). A fill beyond a level has the chance of that
 * level, 0 or 1.
 */
export const baselineWinRate = ({ entry, ...levels }: Levels): number => levelScore(entry, levels);

/**
 * Position of a price between stop loss (0) and take profit (1), limited to these.
 *
 * At the exit it is the score of a trade that was closed at its hold limit. The position of a driftless price is a
 * martingale, so its expected value is the baseline, whatever the hold limit (optional stopping; Feller, vol. 2, ch.
 * VI). Without expired trades, the win rate would be biased towards the nearer level.
 */
export function levelScore(price: number, levels: Omit<Levels, "entry">): number {
  const { stopLoss, takeProfit } = levels;
  const score = (price - stopLoss) / (takeProfit - stopLoss);
  return Math.min(1, Math.max(0, score));
}

/**
 * A segment of results in R: its total, its highest and lowest point including its start at 0, and its maximum
 * drawdown. Two consecutive segments can be merged.
 */
interface EquitySegment {
  total: number;
  highest: number;
  lowest: number;
  drawdown: number;
}

export const EMPTY_SEGMENT: EquitySegment = { total: 0, highest: 0, lowest: 0, drawdown: 0 };

export const segmentOf = (r: number): EquitySegment => ({
  total: r,
  highest: Math.max(0, r),
  lowest: Math.min(0, r),
  drawdown: Math.max(0, -r),
});

/** The drawdown lies in one of them, or between a high of the first and a low of the second. */
export function mergeSegments(first: EquitySegment, second: EquitySegment): EquitySegment {
  return {
    total: first.total + second.total,
    highest: Math.max(first.highest, first.total + second.highest),
    lowest: Math.min(first.lowest, first.total + second.lowest),
    drawdown: Math.max(
      first.drawdown,
      second.drawdown,
      first.highest - (first.total + second.lowest),
    ),
  };
}

/** Result of one step of the curve; `at` is its start in Unix milliseconds. */
export interface EquityStep {
  at: number;
  r: number;
}

export function equityCurve(steps: readonly EquityStep[]): EquityStep[] {
  let total = 0;
  return steps.map(({ at, r }) => {
    total += r;
    return { at, r: total };
  });
}

/**
 * Reduces a curve to `most` points: the first, the last, and the high and low of each part in between.
 * @param most at least 4
 */
export function downsampleCurve(curve: readonly EquityStep[], most: number): EquityStep[] {
  if (curve.length <= most) return [...curve];
  const inner = curve.slice(1, -1);
  const parts = Math.floor((most - 2) / 2);
  const kept = Array.from({ length: parts }, (_, part) => {
    const start = Math.floor((part * inner.length) / parts);
    return extremes(inner.slice(start, Math.floor(((part + 1) * inner.length) / parts)));
  });
  return [...curve.slice(0, 1), ...kept.flat(), ...curve.slice(-1)];
}

function extremes(part: readonly EquityStep[]): EquityStep[] {
  const byR = part.toSorted((a, b) => a.r - b.r);
  const ends = new Set([...byR.slice(0, 1), ...byR.slice(-1)]);
  return [...ends].toSorted((a, b) => a.at - b.at);
}
