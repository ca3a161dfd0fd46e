/**
 * A stretch of results in R, one after another, in a form that two stretches in a row can be joined from: its total,
 * its highest and lowest point (its start, 0, included), and its deepest fall from a high.
 */
export interface EquitySegment {
  total: number;
  highest: number;
  lowest: number;
  drawdown: number;
}

export const EMPTY_SEGMENT: EquitySegment = { total: 0, highest: 0, lowest: 0, drawdown: 0 };

/** The stretch that one result makes. */
export const segmentOf = (r: number): EquitySegment => ({
  total: r,
  highest: Math.max(0, r),
  lowest: Math.min(0, r),
  drawdown: Math.max(0, -r),
});

/** Two stretches as one: the deepest fall lies in one of them, or from a high of the first to a low of the second. */
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

/** What was won or lost in one step of the curve; `at` is its start in Unix milliseconds. */
export interface EquityStep {
  at: number;
  r: number;
}

/** The curve after each step, in R since its start. */
export function equityCurve(steps: readonly EquityStep[]): EquityStep[] {
  let total = 0;
  return steps.map(({ at, r }) => {
    total += r;
    return { at, r: total };
  });
}

/**
 * A curve of at most `most` points that keeps first and last, and the high and the low of each part between: no peak
 * and no fall is smoothed away.
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

/** Low and high of a part, in the order in which they came. */
function extremes(part: readonly EquityStep[]): EquityStep[] {
  const byR = part.toSorted((a, b) => a.r - b.r);
  const ends = new Set([...byR.slice(0, 1), ...byR.slice(-1)]);
  return [...ends].toSorted((a, b) => a.at - b.at);
}
