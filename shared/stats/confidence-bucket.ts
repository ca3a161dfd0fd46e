import type { Decided } from "./no-edge.ts";

/** Ten buckets of ten percentage points; the last one includes 100. */
export const BUCKET_COUNT = 10;

/** Decided signals whose stated chance fell into one bucket; sums are over those signals. */
export interface ConfidenceBucket extends Decided {
  /** 0 is 0–10 %, 9 is 90–100 %. */
  index: number;
  /** Sum of the stated chances, each 0–1. */
  statedSum: number;
  /** Sum of (stated − won)², won being 0 or 1. */
  squareErrorSum: number;
}

/** One decided signal: the chance stated for it and the no-edge chance, both 0–1. */
export interface DecidedSignal {
  stated: number;
  noEdge: number;
  won: boolean;
}

/** The bucket that a signal alone makes. */
export function bucketOf({ stated, noEdge, won }: DecidedSignal): ConfidenceBucket {
  return {
    index: Math.min(BUCKET_COUNT - 1, Math.floor(stated * BUCKET_COUNT)),
    decided: 1,
    wins: Number(won),
    chanceSum: noEdge,
    chanceVariance: noEdge * (1 - noEdge),
    statedSum: stated,
    squareErrorSum: (stated - Number(won)) ** 2,
  };
}

/** Adds up buckets of the same index; the result is in the order of the index, without empty ones. */
export function addBuckets(buckets: readonly ConfidenceBucket[]): ConfidenceBucket[] {
  const sums = new Map<number, ConfidenceBucket>();
  for (const bucket of buckets) {
    const sum = sums.get(bucket.index);
    sums.set(bucket.index, sum ? addTwo(sum, bucket) : bucket);
  }
  return [...sums.values()].toSorted((a, b) => a.index - b.index);
}

const addTwo = (a: ConfidenceBucket, b: ConfidenceBucket): ConfidenceBucket => ({
  index: a.index,
  decided: a.decided + b.decided,
  wins: a.wins + b.wins,
  chanceSum: a.chanceSum + b.chanceSum,
  chanceVariance: a.chanceVariance + b.chanceVariance,
  statedSum: a.statedSum + b.statedSum,
  squareErrorSum: a.squareErrorSum + b.squareErrorSum,
});

/** All buckets taken together. */
export function decidedOf(buckets: readonly ConfidenceBucket[]): Decided {
  const sum = (key: keyof Decided) => buckets.reduce((total, bucket) => total + bucket[key], 0);
  return {
    decided: sum("decided"),
    wins: sum("wins"),
    chanceSum: sum("chanceSum"),
    chanceVariance: sum("chanceVariance"),
  };
}

/** Mean squared distance of the stated chances from what happened (Brier 1950): 0 is perfect, 0.25 is always saying 50 %. */
export function brierScore(buckets: readonly ConfidenceBucket[]): number {
  const { decided } = decidedOf(buckets);
  return buckets.reduce((sum, { squareErrorSum }) => sum + squareErrorSum, 0) / decided;
}

/**
 * Expected calibration error over ten equal buckets (Naeini et al. 2015): the mean distance between what was stated and
 * what came true, each bucket weighted by its signals; 0–1.
 */
export function expectedCalibrationError(buckets: readonly ConfidenceBucket[]): number {
  const { decided } = decidedOf(buckets);
  const gaps = buckets.map(({ statedSum, wins }) => Math.abs(statedSum - wins));
  return gaps.reduce((sum, gap) => sum + gap, 0) / decided;
}
