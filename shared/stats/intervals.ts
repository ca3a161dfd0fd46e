import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";

const Z_95 = 1.959963984540054;

export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/**
 * Quantile of Student's t distribution, by default of 97.5 %, by the expansion of Abramowitz and Stegun (1964), formula
 * 26.7.5: to 0.2 % there, to 1 % for `z` up to 5 and at least nine degrees of freedom.
 * @param degreesOfFreedom at least 3; need not be whole
 * @param z the normal quantile of the same tail
 */
export function studentQuantile(degreesOfFreedom: number, z: number = Z_95): number {
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
 * @returns null if there are too few clusters, as in `clusteredMean`
 */
export function meanInterval(clusters: readonly ClusterSum[]): Estimate | null {
  const estimate = clusteredMean(clusters);
  if (!estimate) return null;
  const { mean: value, variance, degreesOfFreedom } = estimate;
  const halfWidth = studentQuantile(degreesOfFreedom) * Math.sqrt(variance);
  return { value, low: value - halfWidth, high: value + halfWidth };
}

/**
 * Share of successes over clusters with Wilson's score interval (Wilson 1927), by the effective sample size and the t
 * quantile (Korn and Graubard 1998; Dean and Pagano 2015). If all trades ended alike, each cluster counts as one
 * trade. With `baselines`, the sum of each cluster's known baselines, the result is the share less the mean baseline.
 * @returns null if there are too few clusters, as in `clusteredMean`
 */
export function shareInterval(
  clusters: readonly (ClusterSum & { baselines?: number })[],
): Estimate | null {
  const estimate = clusteredMean(
    clusters.map(({ count, sum, baselines = 0 }) => ({ count, sum: sum - baselines })),
  );
  if (!estimate) return null;
  const { variance, degreesOfFreedom, mean: value } = estimate;
  const share = sumOf(clusters, "sum") / sumOf(clusters, "count");
  const spread = share * (1 - share);
  const isEstimable = variance > 0 && spread > 0;
  const trials = isEstimable ? spread / variance : effectiveClusters(clusters);
  const wilson = wilsonInterval(share, trials, studentQuantile(degreesOfFreedom));
  return { value, low: wilson.low + value - share, high: wilson.high + value - share };
}

/**
 * @param share of successes
 * @param trials number of independent ones
 */
export function wilsonInterval(
  share: number,
  trials: number,
  quantile: number,
): { low: number; high: number } {
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

export interface ClusterSum {
  count: number;
  sum: number;
}

interface ClusteredMean {
  mean: number;
  variance: number;
  degreesOfFreedom: number;
}

/** Four clusters of equal size have three degrees of freedom. With fewer, a variance is too uncertain. */
const MIN_DEGREES_OF_FREEDOM = 3;

/**
 * Mean with its cluster-robust variance (Liang and Zeger 1986; Cameron, Gelbach and Miller 2008), CR2-corrected, with
 * Satterthwaite's degrees of freedom (Bell and McCaffrey 2002; Imbens and Kolesár 2016), in their closed form for a
 * regression on the intercept alone.
 * @returns null for fewer than two clusters with trades, or fewer than three degrees of freedom
 */
export function clusteredMean(clusters: readonly ClusterSum[]): ClusteredMean | null {
  const filled = clusters.filter(({ count }) => count > 0);
  if (filled.length < 2) return null;
  const total = addClusters(filled);
  const mean = total.sum / total.count;
  let squares = 0;
  const shares = { squared: 0, leverage: 0, leverageSquared: 0 };
  for (const { count, sum } of filled) {
    const share = count / total.count;
    const leverage = share ** 2 / (1 - share);
    squares += (sum - mean * count) ** 2 / (1 - share);
    shares.squared += share ** 2;
    shares.leverage += leverage;
    shares.leverageSquared += leverage ** 2;
  }
  const degreesOfFreedom = 1 / (shares.squared + shares.leverage ** 2 - shares.leverageSquared);
  // The tolerance is for the rounding of equal clusters.
  if (degreesOfFreedom < MIN_DEGREES_OF_FREEDOM - 1e-9) return null;
  return { mean, variance: squares / total.count ** 2, degreesOfFreedom };
}

/**
 * Number of independent trades whose mean would be known as precisely: trades divided by the design effect (Kish
 * 1965), at most their number. Without an estimate of the variance, each cluster counts as one trade.
 */
export function effectiveSampleSize(
  clusters: readonly (ClusterSum & { squareSum: number })[],
): number {
  const { count, sum } = addClusters(clusters);
  const estimate = clusteredMean(clusters);
  if (!estimate || estimate.variance === 0) return effectiveClusters(clusters);
  const variance = (sumOf(clusters, "squareSum") - sum ** 2 / count) / (count - 1);
  return Math.min(count, variance / estimate.variance);
}

/** Number of equal clusters that the clusters are equivalent to: 1 / Σ share² (Kish 1965); 0 without trades. */
export function effectiveClusters(clusters: readonly ClusterSum[]): number {
  const { count } = addClusters(clusters);
  if (count === 0) return 0;
  return count ** 2 / clusters.reduce((squares, cluster) => squares + cluster.count ** 2, 0);
}

export const addClusters = (clusters: readonly ClusterSum[]): ClusterSum => ({
  count: sumOf(clusters, "count"),
  sum: sumOf(clusters, "sum"),
});

export const sumOf = <Key extends string>(
  items: readonly Readonly<Record<Key, number>>[],
  key: Key,
): number => items.reduce((total, item) => total + item[key], 0);

export function groupBy<Item, Key extends number | string>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Length of a block in mean holding periods. The simulations in `coverage.test.ts` show that it is enough. */
const HOLDING_PERIODS_PER_BLOCK = 6;

export interface DatedSums {
  day: number;
  /** Trades, and the hours for which they were open. */
  heldHours: ClusterSum;
}

/** The UTC day, counted from 1970, of a time in Unix milliseconds. */
export const dayNumber = (at: number): number => Math.floor(at / DAY_MS);

/** Times are Unix milliseconds. */
export const holdingOf = (trade: { openedAt: number; resolvedAt: number }): ClusterSum => ({
  count: 1,
  sum: Math.max(0, trade.resolvedAt - trade.openedAt) / HOUR_MS,
});

/**
 * Groups days into consecutive blocks of equal length, the clusters of the intervals: overlapping trades depend on
 * each other. In blocks of several holding periods, few trades overlap those of the next block (Bester, Conley and
 * Hansen 2011). A block is at least a day and six mean holding periods long. The mean, since few trades of a long
 * timeframe add little to the variance, and blocks as long as those trades leave too few blocks.
 */
export function groupIntoBlocks<Day extends DatedSums>(days: readonly Day[]): Day[][] {
  const { count, sum } = addClusters(days.map(({ heldHours }) => heldHours));
  const meanDays = count > 0 ? sum / count / 24 : 0;
  const lengthDays = Math.max(1, Math.ceil(HOLDING_PERIODS_PER_BLOCK * meanDays));
  const firstDay = days.reduce((first, { day }) => Math.min(first, day), Number.POSITIVE_INFINITY);
  const blocks = groupBy(days, ({ day }) => Math.floor((day - firstDay) / lengthDays));
  return [...blocks.values()];
}
