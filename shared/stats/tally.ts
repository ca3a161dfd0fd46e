import type { Resolution } from "@shared/contract/resolution.ts";
import { addBuckets, bucketOf, type ConfidenceBucket } from "./confidence-bucket.ts";
import {
  EMPTY_SEGMENT,
  type EquitySegment,
  type EquityStep,
  mergeSegments,
  segmentOf,
} from "./equity.ts";
import {
  addHoldings,
  type ClusterSum,
  type DatedSums,
  dayNumber,
  type HoldingSums,
  holdingOf,
} from "./intervals.ts";

/**
 * What became of a signal. `win` and `loss` are decided: filled, and then target or stop was touched. `expired` was
 * filled and closed when its time was over; `not-filled` never began. `pending` is not judged yet.
 */
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

/** A signal as the statistics see it; nothing in it tells whose it was. */
export interface PerformanceSample {
  fate: OutcomeCategory;
  /** When it ended, in Unix milliseconds. */
  at: number;
  /** 0–1, as the analyst said it, and as it was corrected when the signal was made. */
  confidence: number;
  calibratedConfidence: number | null;
  /** The trade, if one was closed: won, lost or expired. */
  trade: ClosedTrade | null;
}

/** A trade that was filled and closed. */
export interface ClosedTrade {
  /** When it was filled, in Unix milliseconds. */
  openedAt: number;
  /** Chance of a win without an edge (`noEdgeChance`), 0–1. */
  noEdge: number;
  /** 1 for a win, 0 for a loss; in between for an expired trade, by its exit (`levelScore`). */
  score: number;
  /** Result in R, net of fees. */
  rMultiple: number;
}

/** Sums over the trades that were resolved on one UTC day: what the intervals are made of. */
export interface DaySums extends DatedSums {
  /** Results of closed trades in R. */
  results: ClusterSum;
  heldHours: HoldingSums;
  /** Closed trades by the confidence that was said, and by the calibrated one where there was one. */
  buckets: ConfidenceBucket[];
  calibratedBuckets: ConfidenceBucket[];
}

/**
 * Sums over signals, from which every figure follows. Tallies of two stretches of time can be joined, so that a long
 * record costs as much as it has days, not signals.
 */
export interface Tally {
  fates: Record<OutcomeCategory, number>;
  /** Closed trades: decided and expired ones. Sums are in R, `gains` and `losses` both at least 0. */
  trades: { count: number; sum: number; gains: number; losses: number };
  equity: EquitySegment;
  /** Results of each hour with closed trades, in order. */
  hours: EquityStep[];
  /** Days with closed trades, in order. */
  days: DaySums[];
}

const HOUR_MS = 3_600_000;

/** The tally of no signal at all. */
export const emptyTally = (): Tally => ({
  fates: { win: 0, loss: 0, expired: 0, "not-filled": 0, wait: 0, failed: 0, pending: 0 },
  trades: { count: 0, sum: 0, gains: 0, losses: 0 },
  equity: EMPTY_SEGMENT,
  hours: [],
  days: [],
});

/** Adds signals up, in the order of their ends. */
export function tallySignals(entries: readonly PerformanceSample[]): Tally {
  const inOrder = entries.toSorted((a, b) => a.at - b.at);
  const closed = inOrder.flatMap((signal) =>
    signal.trade ? { signal, at: signal.at, trade: signal.trade } : [],
  );
  const results = closed.map(({ trade }) => trade.rMultiple);
  return {
    fates: countFates(inOrder),
    trades: addResults(results.map(tradeOf)),
    equity: results.map(segmentOf).reduce(mergeSegments, EMPTY_SEGMENT),
    hours: joinHours(
      closed.map(({ at, trade }) => ({ at: at - (at % HOUR_MS), r: trade.rMultiple })),
    ),
    days: joinDays(closed.map(dayOf)),
  };
}

/** One tally of several, which are of the same record in the order of time. */
export function mergeTallies(tallies: readonly Tally[]): Tally {
  return {
    fates: addFates(tallies.map(({ fates }) => fates)),
    trades: addResults(tallies.map(({ trades }) => trades)),
    equity: tallies.map(({ equity }) => equity).reduce(mergeSegments, EMPTY_SEGMENT),
    hours: joinHours(tallies.flatMap(({ hours }) => hours)),
    days: joinDays(tallies.flatMap(({ days }) => days)),
  };
}

function countFates(entries: readonly PerformanceSample[]): Tally["fates"] {
  const { fates } = emptyTally();
  for (const { fate } of entries) fates[fate] += 1;
  return fates;
}

function addFates(all: readonly Tally["fates"][]): Tally["fates"] {
  const { fates: sum } = emptyTally();
  for (const fates of all) for (const fate of OUTCOME_CATEGORIES) sum[fate] += fates[fate];
  return sum;
}

const tradeOf = (r: number): Tally["trades"] => ({
  count: 1,
  sum: r,
  gains: Math.max(0, r),
  losses: Math.max(0, -r),
});

function addResults(all: readonly Tally["trades"][]): Tally["trades"] {
  const sum = (key: keyof Tally["trades"]) => all.reduce((total, trades) => total + trades[key], 0);
  return { count: sum("count"), sum: sum("sum"), gains: sum("gains"), losses: sum("losses") };
}

/** One step for each hour, of steps in order. */
function joinHours(steps: readonly EquityStep[]): EquityStep[] {
  const hours: EquityStep[] = [];
  for (const { at, r } of steps) {
    const last = hours.at(-1);
    if (last?.at === at) last.r += r;
    else hours.push({ at, r });
  }
  return hours;
}

/** The day that a trade alone makes. */
function dayOf({ signal, trade }: { signal: PerformanceSample; trade: ClosedTrade }): DaySums {
  const { fate, at, confidence, calibratedConfidence: calibrated } = signal;
  const { openedAt, noEdge, score, rMultiple } = trade;
  const stated = { noEdge, score, won: fate === "expired" ? null : fate === "win" };
  return {
    day: dayNumber(at),
    results: { count: 1, sum: rMultiple },
    heldHours: holdingOf({ openedAt, resolvedAt: at }),
    buckets: [bucketOf({ ...stated, stated: confidence })],
    calibratedBuckets: calibrated === null ? [] : [bucketOf({ ...stated, stated: calibrated })],
  };
}

/** One item for each day, of days in order. */
function joinDays(days: readonly DaySums[]): DaySums[] {
  const groups = new Map<number, DaySums[]>();
  for (const one of days) {
    const group = groups.get(one.day);
    if (group) group.push(one);
    else groups.set(one.day, [one]);
  }
  return [...groups].map(([day, group]) => ({ day, ...addDays(group) }));
}

/** The sums of several days as those of one period. */
export const addDays = (days: readonly DaySums[]): Omit<DaySums, "day"> => ({
  results: {
    count: days.reduce((count, { results }) => count + results.count, 0),
    sum: days.reduce((sum, { results }) => sum + results.sum, 0),
  },
  heldHours: addHoldings(days.map(({ heldHours }) => heldHours)),
  buckets: addBuckets(days.flatMap(({ buckets }) => buckets)),
  calibratedBuckets: addBuckets(days.flatMap(({ calibratedBuckets }) => calibratedBuckets)),
});

/** A judgement with the levels that it was made about, in the quote currency. */
type JudgedLevels = Pick<Resolution, "reason" | "filled_at" | "fill" | "exit" | "r_multiple"> & {
  stopLoss: number;
  takeProfit: number;
};

/**
 * A judged trade as the statistics count it, from the price that it was filled at: a better or worse one than asked for
 * changes the chances. Null for one that was not filled.
 */
export function closedTrade(judged: JudgedLevels): ClosedTrade | null {
  const { reason, filled_at: filledAt, fill, exit, r_multiple: rMultiple, ...levels } = judged;
  if (filledAt === null || fill === null || exit === null || rMultiple === null) return null;
  const score = {
    target: 1,
    stop: 0,
    both: 0,
    "not-filled": 0,
    "hold-over": levelScore(exit, levels),
  };
  return {
    openedAt: Date.parse(filledAt),
    noEdge: baselineWinRate({ ...levels, entry: fill }),
    score: score[reason],
    rMultiple,
  };
}

/** Levels of a trade, in the quote currency; `entry` is the price it was filled at. */
interface Levels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Baseline win rate: the chance that a price without drift reaches the target before the stop, which is
 * stop distance / (stop distance + target distance), the gambler's ruin (Feller, vol. 1, ch. XIV). A near target is
 * reached more often than not without any skill; that is why a win rate says nothing without this number beside it.
 *
 * A fill beyond a level has that level's chance, 0 or 1.
 */
export const baselineWinRate = ({ entry, ...levels }: Levels): number => levelScore(entry, levels);

/**
 * Position of a price between stop loss (0) and take profit (1), of a BUY or a SELL; a price beyond a level counts as
 * that level.
 *
 * For the exit of a trade that was closed at its hold limit, this is its score: what it counts beside a win (1) and a
 * loss (0). The position of a price without drift is a martingale, so its expected value at the exit is that at the
 * entry, the baseline, whatever the hold limit (optional stopping; Feller, vol. 2, ch. VI). To leave such trades out
 * would not do: within a short time the nearer level is reached more often than the baseline says.
 */
export function levelScore(price: number, levels: Omit<Levels, "entry">): number {
  const { stopLoss, takeProfit } = levels;
  const score = (price - stopLoss) / (takeProfit - stopLoss);
  return Math.min(1, Math.max(0, score));
}
