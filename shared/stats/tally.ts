import { addBuckets, bucketOf, type ConfidenceBucket } from "./confidence-bucket.ts";
import {
  EMPTY_STRETCH,
  type EquityStep,
  type EquityStretch,
  joinStretches,
  stretchOf,
} from "./equity.ts";

/**
 * What became of a signal. `win` and `loss` are decided: filled, and then target or stop was touched. `expired` was
 * filled and closed when its time was over; `not-filled` never began. `pending` is not judged yet.
 */
export const FATES = ["win", "loss", "expired", "not-filled", "wait", "failed", "pending"] as const;
export type Fate = (typeof FATES)[number];

/** A signal as the statistics see it; nothing in it tells whose it was. */
export interface SignalEntry {
  fate: Fate;
  /** When it ended, in Unix milliseconds. */
  at: number;
  /** 0–1, as the analyst said it, and as it was corrected when the signal was made. */
  confidence: number;
  calibratedConfidence: number | null;
  /** Chance of a win without an edge, 0–1; null unless decided. */
  noEdge: number | null;
  /** Result in R, net of fees; null where no trade was closed. */
  rMultiple: number | null;
}

/**
 * Sums over signals, from which every figure follows. Tallies of two stretches of time can be joined, so that a long
 * record costs as much as it has days, not signals.
 */
export interface Tally {
  fates: Record<Fate, number>;
  /** Closed trades: decided and expired ones with a result. Sums are in R, `gains` and `losses` both at least 0. */
  trades: { count: number; sum: number; squareSum: number; gains: number; losses: number };
  equity: EquityStretch;
  /** Results of each hour with closed trades, in order. */
  hours: EquityStep[];
  /** Decided signals by the confidence that was said, and by the calibrated one where there was one. */
  buckets: ConfidenceBucket[];
  calibratedBuckets: ConfidenceBucket[];
}

const HOUR_MS = 3_600_000;

/** The tally of no signal at all. */
export const emptyTally = (): Tally => ({
  fates: { win: 0, loss: 0, expired: 0, "not-filled": 0, wait: 0, failed: 0, pending: 0 },
  trades: { count: 0, sum: 0, squareSum: 0, gains: 0, losses: 0 },
  equity: EMPTY_STRETCH,
  hours: [],
  buckets: [],
  calibratedBuckets: [],
});

/** Adds signals up, in the order of their ends. */
export function tallySignals(entries: readonly SignalEntry[]): Tally {
  const inOrder = entries.toSorted((a, b) => a.at - b.at);
  const closed = inOrder.flatMap(({ at, rMultiple }) =>
    rMultiple === null ? [] : { at, r: rMultiple },
  );
  return {
    fates: countFates(inOrder),
    trades: addTrades(closed.map(tradeOf)),
    equity: closed.map(({ r }) => stretchOf(r)).reduce(joinStretches, EMPTY_STRETCH),
    hours: joinHours(closed.map(({ at, r }) => ({ at: at - (at % HOUR_MS), r }))),
    ...bucketDecided(inOrder),
  };
}

/** One tally of several, which are of the same record in the order of time. */
export function joinTallies(tallies: readonly Tally[]): Tally {
  return {
    fates: addFates(tallies.map(({ fates }) => fates)),
    trades: addTrades(tallies.map(({ trades }) => trades)),
    equity: tallies.map(({ equity }) => equity).reduce(joinStretches, EMPTY_STRETCH),
    hours: joinHours(tallies.flatMap(({ hours }) => hours)),
    buckets: addBuckets(tallies.flatMap(({ buckets }) => buckets)),
    calibratedBuckets: addBuckets(tallies.flatMap((tally) => tally.calibratedBuckets)),
  };
}

function countFates(entries: readonly SignalEntry[]): Tally["fates"] {
  const { fates } = emptyTally();
  for (const { fate } of entries) fates[fate] += 1;
  return fates;
}

function addFates(all: readonly Tally["fates"][]): Tally["fates"] {
  const { fates: sum } = emptyTally();
  for (const fates of all) for (const fate of FATES) sum[fate] += fates[fate];
  return sum;
}

const tradeOf = ({ r }: EquityStep): Tally["trades"] => ({
  count: 1,
  sum: r,
  squareSum: r ** 2,
  gains: Math.max(0, r),
  losses: Math.max(0, -r),
});

function addTrades(all: readonly Tally["trades"][]): Tally["trades"] {
  const sum = (key: keyof Tally["trades"]) => all.reduce((total, trades) => total + trades[key], 0);
  return {
    count: sum("count"),
    sum: sum("sum"),
    squareSum: sum("squareSum"),
    gains: sum("gains"),
    losses: sum("losses"),
  };
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

function bucketDecided(
  entries: readonly SignalEntry[],
): Pick<Tally, "buckets" | "calibratedBuckets"> {
  const decided = entries.flatMap(({ fate, noEdge, confidence, calibratedConfidence }) =>
    noEdge === null ? [] : { won: fate === "win", noEdge, confidence, calibratedConfidence },
  );
  const said = decided.map(({ confidence: stated, ...rest }) => bucketOf({ ...rest, stated }));
  const corrected = decided.flatMap(({ calibratedConfidence: stated, ...rest }) =>
    stated === null ? [] : bucketOf({ ...rest, stated }),
  );
  return { buckets: addBuckets(said), calibratedBuckets: addBuckets(corrected) };
}
