/**
 * A segment of results in R: its total, its highest and lowest point including its start at 0, and its maximum
 * drawdown. Two consecutive segments can be merged.
 */
export interface EquitySegment {
  total: number;
  highest: number;
  lowest: number;
  drawdown: number;
}

export const EMPTY_SEGMENT: EquitySegment = { total: 0, highest: 0, lowest: 0, drawdown: 0 };

export const segmentOf = (r: number): EquitySegment => ({
  total: r,
  highest: Math.max(0, r),
  lowest: Math.min(0, r),
  drawdown: Math.max(0, -r),
});

/** The drawdown lies in one of them, or between a high of the first and a low of the second. */
export function mergeSegments(first: EquitySegment, second: EquitySegment): EquitySegment {
  return {
    total: first.total + second.total,
    highest: Math.max(first.highest, first.total + second.highest),
    lowest: Math.min(first.lowest, first.total + second.lowest),
    drawdown: Math.max(
      first.drawdown,
      second.drawdown,
      first.highest - (first.total + second.lowest),
    ),
  };
}

/** Result of one step of the curve; `at` is its start in Unix milliseconds. */
export interface EquityStep {
  at: number;
  r: number;
}

export function equityCurve(steps: readonly EquityStep[]): EquityStep[] {
  let total = 0;
  return steps.map(({ at, r }) => {
    total += r;
    return { at, r: total };
  });
}

/**
 * Reduces a curve to `most` points: the first, the last, and the high and low of each part in between.
 * @param most at least 4
 */
export function downsampleCurve(curve: readonly EquityStep[], most: number): EquityStep[] {
  if (curve.length <= most) return [...curve];
  const inner = curve.slice(1, -1);
  const parts = Math.floor((most - 2) / 2);
  const kept = Array.from({ length: parts }, (_, part) => {
    const start = Math.floor((part * inner.length) / parts);
    return extremes(inner.slice(start, Math.floor(((part + 1) * inner.length) / parts)));
  });
  return [...curve.slice(0, 1), ...kept.flat(), ...curve.slice(-1)];
}

function extremes(part: readonly EquityStep[]): EquityStep[] {
  const byR = part.toSorted((a, b) => a.r - b.r);
  const ends = new Set([...byR.slice(0, 1), ...byR.slice(-1)]);
  return [...ends].toSorted((a, b) => a.at - b.at);
}
