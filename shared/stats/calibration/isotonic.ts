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
  statedSum: number;
  /** Trades and wins with those of the prior; equal to what was observed where there is none. */
  weight: number;
  weightedWins: number;
}

/**
 * Trades of the base rate that are added to the first and to the last pool. That is a Beta prior with a standard
 * deviation of 10 percentage points at a base rate of 50 %, √(p(1 − p) / (25 + 1)): before any data, the win rate at the
 * lowest and highest confidences is expected within 20 points of the base rate. A pool of 25 trades moves half of the
 * way to it, one of 500 a twentieth.
 */
const PRIOR_TRADES = 25;

/**
 * Isotonic regression by pool-adjacent-violators (Ayer et al. 1955; for calibration Zadrozny and Elkan 2002): the
 * win rates of neighbouring confidences are pooled until none falls. Each pool is a point at its mean confidence; what
 * lies between two points is interpolated.
 *
 * The first and the last pool are shrunk towards the base rate. The fit chooses them for their extreme win rates, often
 * 0 or 100 % of a few trades, and every confidence beyond them gets their value. An end that moves past its neighbour is
 * pooled with it.
 * @param outcomes at least one
 */
export function fitIsotonic(outcomes: readonly StatedOutcome[]): CurvePoint[] {
  const baseRate = outcomes.filter(({ won }) => won).length / outcomes.length;
  const pools = pool(levelsOf(outcomes));
  const shrunk = pools.map((block, index) => {
    const isEnd = index === 0 || index === pools.length - 1;
    return isEnd ? withPrior(block, baseRate) : block;
  });
  return pool(shrunk).map(({ count, statedSum, weight, weightedWins }) => ({
    stated: statedSum / count,
    calibrated: weightedWins / weight,
  }));
}

const withPrior = (block: Block, baseRate: number): Block => ({
  ...block,
  weight: block.weight + PRIOR_TRADES,
  weightedWins: block.weightedWins + PRIOR_TRADES * baseRate,
});

function pool(levels: readonly Block[]): Block[] {
  const blocks: Block[] = [];
  for (const level of levels) {
    blocks.push(level);
    poolBackwards(blocks);
  }
  return blocks;
}

/** One block for each confidence that was stated, from low to high: equal ones must get equal values. */
function levelsOf(outcomes: readonly StatedOutcome[]): Block[] {
  const levels = new Map<number, Block>();
  for (const { stated, won } of outcomes) {
    const one = { count: 1, statedSum: stated, weight: 1, weightedWins: Number(won) };
    const level = levels.get(stated);
    levels.set(stated, level ? join(level, one) : one);
  }
  return [...levels].toSorted(([a], [b]) => a - b).map(([, level]) => level);
}

/** Pools the last block with those before it that won as often or more. */
function poolBackwards(blocks: Block[]): void {
  let last = blocks.pop();
  let before = blocks.at(-1);
  while (last && before && before.weightedWins * last.weight >= last.weightedWins * before.weight) {
    blocks.pop();
    last = join(before, last);
    before = blocks.at(-1);
  }
  if (last) blocks.push(last);
}

const join = (a: Block, b: Block): Block => ({
  count: a.count + b.count,
  statedSum: a.statedSum + b.statedSum,
  weight: a.weight + b.weight,
  weightedWins: a.weightedWins + b.weightedWins,
});
