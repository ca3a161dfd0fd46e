/** A point of a curve from stated to calibrated confidence, both 0–1. */
export interface CurvePoint {
  stated: number;
  calibrated: number;
}

/** A signal whose end is known: the confidence that was stated, 0–1, and whether it won. */
export interface StatedOutcome {
  stated: number;
  won: boolean;
}

interface Block {
  count: number;
  wins: number;
  statedSum: number;
}

/**
 * Isotonic regression by pool-adjacent-violators (Ayer et al. 1955; for calibration Zadrozny and Elkan 2002): the
 * win rates of neighbouring confidences are pooled until none falls. Each pool is a point at its mean confidence; what
 * lies between two points is interpolated.
 * @param outcomes at least one
 */
export function fitIsotonic(outcomes: readonly StatedOutcome[]): CurvePoint[] {
  const blocks: Block[] = [];
  for (const level of levelsOf(outcomes)) {
    blocks.push(level);
    poolBackwards(blocks);
  }
  return blocks.map(({ count, wins, statedSum }) => ({
    stated: statedSum / count,
    calibrated: wins / count,
  }));
}

/** One block for each confidence that was stated, from low to high: equal ones must get equal values. */
function levelsOf(outcomes: readonly StatedOutcome[]): Block[] {
  const levels = new Map<number, Block>();
  for (const { stated, won } of outcomes) {
    const level = levels.get(stated) ?? { count: 0, wins: 0, statedSum: 0 };
    levels.set(stated, join(level, { count: 1, wins: Number(won), statedSum: stated }));
  }
  return [...levels].toSorted(([a], [b]) => a - b).map(([, level]) => level);
}

/** Pools the last block with those before it that won as often or more. */
function poolBackwards(blocks: Block[]): void {
  let last = blocks.pop();
  let before = blocks.at(-1);
  while (last && before && before.wins * last.count >= last.wins * before.count) {
    blocks.pop();
    last = join(before, last);
    before = blocks.at(-1);
  }
  if (last) blocks.push(last);
}

const join = (a: Block, b: Block): Block => ({
  count: a.count + b.count,
  wins: a.wins + b.wins,
  statedSum: a.statedSum + b.statedSum,
});
