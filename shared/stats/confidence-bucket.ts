import { groupBy, sumOf } from "./intervals.ts";

/** Ten percentage points each; the last one includes 100. */
export const BUCKET_COUNT = 10;

/** Sums over closed trades, and over the decided (won or lost) among them. */
export interface TradeSums {
  decided: number;
  wins: number;
  /** Won, lost or expired. */
  closed: number;
  /** A win scores 1, a loss 0, an expired trade in between. */
  scoreSum: number;
  chanceSum: number;
  edgeSquareSum: number;
}

/** Closed trades with a stated chance in one bucket. */
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

/** The bucket of one trade. */
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
});

/** Mean squared error of the stated chances (Brier 1950): 0 is perfect, 0.25 is always saying 50 %. */
export function brierScore(buckets: readonly ConfidenceBucket[]): number {
  return sumOf(buckets, "squareErrorSum") / sumOf(buckets, "decided");
}

/**
 * Expected calibration error over ten equal buckets (Naeini et al. 2015): mean distance between stated and observed
 * win rate, weighted by signals; 0–1.
 */
export function expectedCalibrationError(buckets: readonly ConfidenceBucket[]): number {
  const gaps = buckets.map(({ statedSum, wins }) => Math.abs(statedSum - wins));
  return gaps.reduce((sum, gap) => sum + gap, 0) / sumOf(buckets, "decided");
}
