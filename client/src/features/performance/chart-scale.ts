/** A linear scale of a chart's axis, with round numbers to label it. */
export interface ChartScale {
  low: number;
  high: number;
  ticks: number[];
}

const ROUND_STEPS = [1, 2, 2.5, 5, 10];
/** Steps between the labels; a few more or less where rounding asks for it. */
const STEPS = 4;

/** A scale that holds all values and 0. */
export function scaleFor(values: readonly number[]): ChartScale {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const step = roundStep((most - least || 1) / STEPS);
  const low = Math.floor(least / step);
  const high = Math.max(low + 1, Math.ceil(most / step));
  return {
    low: low * step,
    high: high * step,
    ticks: Array.from({ length: high - low + 1 }, (_, index) => (low + index) * step),
  };
}

function roundStep(rough: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const factor = ROUND_STEPS.find((round) => round * magnitude >= rough) ?? 10;
  return factor * magnitude;
}

/** Where a value lies between the ends of a range, 0–1. */
export const shareOf = (value: number, { low, high }: { low: number; high: number }): number =>
  (value - low) / (high - low);

/** At most `most` items, evenly spread, the last one among them. */
export function sampleEvenly<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => (items.length - 1 - index) % every === 0);
}
