/** Quantile of the standard normal distribution that leaves 2.5 % on each side. */
export const Z_95 = 1.959963984540054;

/** A figure and the range that holds the true one in 95 of 100 records like this. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/**
 * Share of successes with Wilson's score interval (Wilson 1927; recommended by Brown, Cai and DasGupta 2001), which
 * stays within 0 and 1 and holds at small counts too.
 * @param trials at least 1
 */
export function wilsonInterval({
  successes,
  trials,
}: {
  successes: number;
  trials: number;
}): Estimate {
  const value = successes / trials;
  const z2 = Z_95 ** 2;
  const scale = 1 / (1 + z2 / trials);
  const centre = scale * (value + z2 / (2 * trials));
  const spread = (value * (1 - value)) / trials + z2 / (4 * trials ** 2);
  const halfWidth = scale * Z_95 * Math.sqrt(spread);
  return {
    value,
    low: successes === 0 ? 0 : centre - halfWidth,
    high: successes === trials ? 1 : centre + halfWidth,
  };
}

/**
 * Mean with its normal 95 % interval, from the count, the sum and the sum of squares of the values.
 * @param count at least 2
 */
export function meanInterval(values: { count: number; sum: number; squareSum: number }): Estimate {
  const { count, sum, squareSum } = values;
  const value = sum / count;
  const variance = Math.max(0, (squareSum - sum * value) / (count - 1));
  const halfWidth = Z_95 * Math.sqrt(variance / count);
  return { value, low: value - halfWidth, high: value + halfWidth };
}
