import {
  addClusters,
  type ClusterSum,
  clusteredMean,
  type Estimate,
  studentQuantile,
} from "./intervals.ts";

/** How sure a statement is that may be looked at after every trade. */
export interface SequenceLevel {
  /** Chance that the mean is ever outside the interval, whenever one looks. */
  alpha: number;
  /** Trades until which differences are to be found: the sequence wastes least there, and still holds after it. */
  horizon: number;
}

/** Degrees of freedom below which a variance says too little for the tails that an early look depends on. */
const MIN_DEGREES_OF_FREEDOM = 9;

/** Share of alpha for looks until the horizon; the rest is for all looks, however late. */
const SHARE_UNTIL_HORIZON = 0.8;

/** How many horizons on the unlimited bound is narrowest. */
const LATE_HORIZONS = 4;

/**
 * Interval of a mean that holds at every look at once: with the chance of `alpha`, the mean is ever outside. A claim that
 * is made as soon as the interval allows it is therefore false in at most `alpha` of all records, even if someone looks
 * daily and stops at the best moment. A usual interval is made for one look.
 *
 * It is the narrower one of two, which share alpha:
 * - until the horizon, the same sum for all looks (O'Brien and Fleming 1979; repeated confidence intervals of Jennison and
 *   Turnbull 1989), by the reflection principle: P(max |W(t)|, t ≤ 1, ≥ c) ≤ 4 (1 − Φ(c));
 * - always, the normal mixture of Robbins (1970), as in Howard, Ramdas, McAuliffe and Sekhon (2021), formula 14.
 *
 * The variance is that of clusters of trades that depend on each other, estimated from the results, as in the asymptotic
 * confidence sequences of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024); t quantiles of the same tail allow for
 * its error. Clusters have to be formed by time alone, never by results.
 *
 * @param leastVariance of one trade: what it has even where all results so far are alike, such as losses only
 * @returns null for fewer than about ten clusters of equal size
 */
export function confidenceSequence(
  clusters: readonly ClusterSum[],
  { leastVariance = 0, ...level }: SequenceLevel & { leastVariance?: number },
): Estimate | null {
  const spread = sequenceSpread(clusters, leastVariance);
  if (!spread) return null;
  const halfWidth = halfWidthAfter(spread.trades, { ...level, ...spread });
  return { value: spread.mean, low: spread.mean - halfWidth, high: spread.mean + halfWidth };
}

/** What the width of a sequence depends on. */
export interface SequenceSpread {
  mean: number;
  trades: number;
  /** Of one trade as part of its cluster: the variance of the mean times the trades. */
  variance: number;
  degreesOfFreedom: number;
}

/** @returns null for fewer than about ten clusters of equal size, or where no result says how much they vary */
export function sequenceSpread(
  clusters: readonly ClusterSum[],
  leastVariance = 0,
): SequenceSpread | null {
  const estimate = clusteredMean(clusters);
  if (!estimate || estimate.degreesOfFreedom < MIN_DEGREES_OF_FREEDOM - 1e-9) return null;
  const { mean, degreesOfFreedom } = estimate;
  const { count: trades } = addClusters(clusters);
  const variance = Math.max(leastVariance, estimate.variance * trades);
  return variance === 0 ? null : { mean, trades, variance, degreesOfFreedom };
}

const MAX_TRADES = 1_000_000;

/**
 * Trades after which the sequence is expected to exclude `value`, if mean and spread stay as they are: at least as many
 * as there are, null for more than a million.
 */
export function tradesUntilKnown(
  spread: SequenceSpread & SequenceLevel,
  value: number,
): number | null {
  const distance = Math.abs(spread.mean - value);
  const clusterSize = spread.trades / (spread.degreesOfFreedom + 1);
  const isKnownAfter = (trades: number) =>
    halfWidthAfter(trades, { ...spread, degreesOfFreedom: trades / clusterSize - 1 }) < distance;
  let low = spread.trades;
  if (isKnownAfter(low)) return low;
  let high = low;
  while (!isKnownAfter(high)) {
    low = high;
    high *= 2;
    if (high > MAX_TRADES) return null;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isKnownAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function halfWidthAfter(
  trades: number,
  {
    variance,
    degreesOfFreedom,
    ...level
  }: SequenceLevel & Pick<SequenceSpread, "variance" | "degreesOfFreedom">,
): number {
  const quantile = studentQuantile(degreesOfFreedom, boundaryAfter(trades, level));
  return quantile * Math.sqrt(variance / trades);
}

/** Standard errors that a mean is from its true value at most, at every look. */
export function boundaryAfter(trades: number, { alpha, horizon }: SequenceLevel): number {
  const always = normalMixture(trades, {
    alpha: (1 - SHARE_UNTIL_HORIZON) * alpha,
    tunedFor: LATE_HORIZONS * horizon,
  });
  if (trades > horizon) return always;
  const constant = normalQuantile((SHARE_UNTIL_HORIZON * alpha) / 4);
  return Math.min(always, constant * Math.sqrt(horizon / trades));
}

function normalMixture(trades: number, { alpha, tunedFor }: { alpha: number; tunedFor: number }) {
  const logarithm = -2 * Math.log(alpha);
  const rho = tunedFor / (logarithm + Math.log1p(logarithm));
  return Math.sqrt((1 + rho / trades) * (Math.log1p(trades / rho) + logarithm));
}

/** Normal quantile of an upper tail below one half, to 0.0005 (Abramowitz and Stegun 1964, formula 26.2.23). */
function normalQuantile(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  const numerator = 2.515517 + 0.802853 * t + 0.010328 * t ** 2;
  return t - numerator / (1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3);
}
