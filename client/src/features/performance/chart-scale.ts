export interface ChartScale {
  low: number;
  high: number;
  ticks: number[];
}

const ROUND_STEPS = [1, 2, 2.5, 5, 10];
const STEPS = 4;

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

export const shareOf = (value: number, { low, high }: { low: number; high: number }): number =>
  (value - low) / (high - low);

/** Returns at most `most` evenly spread items, including the last one. */
export function sampleEvenly<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => (items.length - 1 - index) % every === 0);
}
