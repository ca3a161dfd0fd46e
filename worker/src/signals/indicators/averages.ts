import { EMA } from "trading-signals";

/**
 * Exponential moving averages after each value, smoothing 2 / (period + 1), seeded with the first value;
 * null until `period` values are in.
 */
export function computeEmaSeries(values: readonly number[], period: number): (number | null)[] {
  const ema = new EMA(period);
  return values.map((value, index) => {
    const average = ema.update(value, false);
    // Not by `isStable`: it throws and catches inside, which costs more than the whole average.
    return index + 1 >= period ? average : null;
  });
}

/** The last of `computeEmaSeries`. */
export function computeEma(values: readonly number[], period: number): number | null {
  return computeEmaSeries(values, period).at(-1) ?? null;
}
