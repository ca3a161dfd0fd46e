import { type ClusterSum, clusteredMean, effectiveClusters } from "./clustered-mean.ts";

/** Quantile of the standard normal distribution that leaves 2.5 % on each side. */
const Z_95 = 1.959963984540054;

/** A value and the range that holds the true one in 95 of 100 records like this. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/**
 * Quantile of Student's t distribution that leaves 2.5 % on each side, by the expansion of Abramowitz and Stegun
 * (1964), formula 26.7.5. Less than 0.2 % off.
 * @param degreesOfFreedom at least 3; need not be whole
 */
export function studentQuantile(degreesOfFreedom: number): number {
  const z = Z_95;
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduce((sum, term, power) => sum + term / degreesOfFreedom ** power, 0);
}

/**
 * Mean over clusters with its 95 % t interval.
 * @returns null where the clusters are too few for a variance, as in `clusteredMean`
 */
export function meanInterval(clusters: readonly ClusterSum[]): Estimate | null {
  const estimate = clusteredMean(clusters);
  if (!estimate) return null;
  const { mean: value, variance, degreesOfFreedom } = estimate;
  const halfWidth = studentQuantile(degreesOfFreedom) * Math.sqrt(variance);
  return { value, low: value - halfWidth, high: value + halfWidth };
}

/**
 * Share of successes over clusters with Wilson's score interval (Wilson 1927), which stays within 0 and 1. For
 * clustered data it takes the effective sample size and the t quantile (Korn and Graubard 1998; Dean and Pagano 2015).
 * If all trades ended alike, their variance says nothing, and each cluster counts as one trade.
 *
 * With `baselines`, the sum of each cluster's baselines, the result is the share less the mean baseline. Only the
 * variance of the difference counts then, because the baselines are known.
 * @returns null where the clusters are too few for a variance, as in `clusteredMean`
 */
export function shareInterval(
  clusters: readonly (ClusterSum & { baselines?: number })[],
): Estimate | null {
  const estimate = clusteredMean(
    clusters.map(({ count, sum, baselines = 0 }) => ({ count, sum: sum - baselines })),
  );
  if (!estimate) return null;
  const { variance, degreesOfFreedom, mean: value } = estimate;
  const total = (key: "count" | "sum") => clusters.reduce((sum, cluster) => sum + cluster[key], 0);
  const share = total("sum") / total("count");
  const spread = share * (1 - share);
  const isEstimable = variance > 0 && spread > 0;
  const wilson = wilsonInterval({
    share,
    trials: isEstimable ? spread / variance : effectiveClusters(clusters),
    quantile: studentQuantile(degreesOfFreedom),
  });
  return { value, low: wilson.low + value - share, high: wilson.high + value - share };
}

/** @param given the share of successes, in how many independent trials, and a quantile for the width */
export function wilsonInterval(given: { share: number; trials: number; quantile: number }): {
  low: number;
  high: number;
} {
  const { share, trials, quantile } = given;
  const square = quantile ** 2;
  const scale = 1 / (1 + square / trials);
  const centre = scale * (share + square / (2 * trials));
  const spread = (share * (1 - share)) / trials + square / (4 * trials ** 2);
  const halfWidth = scale * quantile * Math.sqrt(spread);
  return {
    low: share === 0 ? 0 : centre - halfWidth,
    high: share === 1 ? 1 : centre + halfWidth,
  };
}
