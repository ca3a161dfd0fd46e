/** Trades of one cluster: how many, and the sum of the value whose mean is estimated. */
export interface ClusterSum {
  count: number;
  sum: number;
}

/** A mean over all trades, the variance of that mean, and the degrees of freedom of the variance. */
export interface ClusteredMean {
  mean: number;
  variance: number;
  degreesOfFreedom: number;
}

/** Degrees of freedom below which a variance is too uncertain to be used. Four clusters of equal size have three. */
export const MIN_DEGREES_OF_FREEDOM = 3;

/**
 * Mean with its cluster-robust variance: trades of one cluster may depend on each other in any way, those of different
 * clusters may not (Liang and Zeger 1986; Cameron, Gelbach and Miller 2008). The correction for few or unequal clusters
 * is CR2, and the degrees of freedom are Satterthwaite's (Bell and McCaffrey 2002; Imbens and Kolesár 2016). With the
 * intercept as the only regressor, both have a closed form in the clusters' shares of the trades.
 * @returns null for fewer than two clusters with trades, or fewer than three degrees of freedom
 */
export function clusteredMean(clusters: readonly ClusterSum[]): ClusteredMean | null {
  const filled = clusters.filter(({ count }) => count > 0);
  if (filled.length < 2) return null;
  const total = add(filled);
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
  // Equal clusters have exactly as many degrees of freedom as there are clusters, less one; rounding may miss it.
  if (degreesOfFreedom < MIN_DEGREES_OF_FREEDOM - 1e-9) return null;
  return { mean, variance: squares / total.count ** 2, degreesOfFreedom };
}

/**
 * Number of independent trades whose mean would be known as precisely: the trades divided by the design effect, which is
 * the clustered variance over that of independent trades (Kish 1965). At most the number of trades. Where the clusters
 * are too few or too uniform to estimate a variance, each counts as one trade.
 */
export function effectiveSampleSize(
  clusters: readonly (ClusterSum & { squareSum: number })[],
): number {
  const { count, sum } = add(clusters);
  const estimate = clusteredMean(clusters);
  if (!estimate || estimate.variance === 0) return effectiveClusters(clusters);
  const squareSum = clusters.reduce((total, cluster) => total + cluster.squareSum, 0);
  const variance = (squareSum - sum ** 2 / count) / (count - 1);
  return Math.min(count, variance / estimate.variance);
}

/** Number of clusters of equal size that the clusters are worth: 1 / Σ share² (Kish 1965); 0 without trades. */
export function effectiveClusters(clusters: readonly ClusterSum[]): number {
  const { count } = add(clusters);
  if (count === 0) return 0;
  return count ** 2 / clusters.reduce((squares, cluster) => squares + cluster.count ** 2, 0);
}

const add = (clusters: readonly ClusterSum[]): ClusterSum => ({
  count: clusters.reduce((total, { count }) => total + count, 0),
  sum: clusters.reduce((total, { sum }) => total + sum, 0),
});
