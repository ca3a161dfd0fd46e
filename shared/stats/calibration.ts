import { dayNumber, effectiveSampleSize, groupIntoBlocks, holdingOf } from "./intervals.ts";

/** Resolved signals that a fit needs: with fewer, its own error is as large as what it corrects. */
const ENOUGH_OUTCOMES = 300;

/**
 * Independent outcomes that they have to be equivalent to: the win rate is then known to within 10 percentage points,
 * ±2 √(p(1 − p) / 100). Trades that overlap in time count for less than their number.
 */
const MIN_EFFECTIVE_OUTCOMES = 100;

/** The newest outcomes that a fit uses; older ones tell of markets and of a model long gone. */
export const MOST_OUTCOMES = 5_000;

/** A resolved signal, from its fill to its end; times in Unix milliseconds. */
export interface TimedOutcome extends StatedOutcome {
  openedAt: number;
  resolvedAt: number;
}

type CalibrationMethod = "isotonic" | "platt";

/** A curve from stated to calibrated confidence, with what it was made from. */
export interface Calibration {
  method: CalibrationMethod;
  /** Signals that it was fitted on. */
  count: number;
  /** When the last of them was resolved, in Unix milliseconds. */
  fittedUntil: number;
  curve: CurvePoint[];
}

/** Share of the outcomes, the earlier ones, that the two methods are compared on. */
const TRAINING_SHARE = 2 / 3;

const METHODS = { platt: fitPlatt, isotonic: fitIsotonic } as const;

/**
 * Fits a calibration on what was resolved before `cutoff`, and on nothing else.
 *
 * Platt's two parameters are steadier with few signals, while isotonic regression bends wherever the record does
 * (Niculescu-Mizil and Caruana 2005). Which of them serves is decided out of sample: both are fitted on the earlier
 * two thirds, the one with the lower Brier score on the last third is fitted on all. Platt is taken where they tie.
 * @param cutoff Unix milliseconds
 * @returns null while fewer than 300 signals are resolved, or these overlap so much that they are equivalent to fewer
 * than 100 independent ones
 */
export function fitCalibration(options: {
  outcomes: readonly TimedOutcome[];
  cutoff: number;
}): Calibration | null {
  const { outcomes, cutoff } = options;
  const known = outcomes
    .filter(({ resolvedAt }) => resolvedAt < cutoff)
    .toSorted((a, b) => a.resolvedAt - b.resolvedAt)
    .slice(-MOST_OUTCOMES);
  const last = known.at(-1);
  if (!last || known.length < ENOUGH_OUTCOMES) return null;
  if (effectiveOutcomes(known) < MIN_EFFECTIVE_OUTCOMES) return null;
  const method = steadierMethod(known);
  const { resolvedAt: fittedUntil } = last;
  return { method, count: known.length, fittedUntil, curve: METHODS[method](known) };
}

/** Number of independent trades whose win rate would be known as precisely. */
function effectiveOutcomes(known: readonly TimedOutcome[]): number {
  const dated = known.map((outcome) => ({
    day: dayNumber(outcome.resolvedAt),
    heldHours: holdingOf(outcome),
    won: outcome.won,
  }));
  const clusters = groupIntoBlocks(dated).map((block) => {
    const wins = block.filter(({ won }) => won).length;
    return { count: block.length, sum: wins, squareSum: wins };
  });
  return effectiveSampleSize(clusters);
}

function steadierMethod(known: readonly TimedOutcome[]): CalibrationMethod {
  const cut = Math.floor(known.length * TRAINING_SHARE);
  const [earlier, later] = [known.slice(0, cut), known.slice(cut)];
  const error = (method: CalibrationMethod) => {
    const curve = METHODS[method](earlier);
    return later.reduce(
      (sum, { stated, won }) => sum + (calibrate(curve, stated) - Number(won)) ** 2,
      0,
    );
  };
  return error("isotonic") < error("platt") ? "isotonic" : "platt";
}

/**
 * The calibrated confidence for a stated one, both 0–1: between two points of the curve by a straight line, beyond its
 * ends as at the nearest.
 * @param curve by rising `stated`, at least one point
 */
export function calibrate(curve: readonly CurvePoint[], stated: number): number {
  const above = curve.findIndex((point) => point.stated >= stated);
  const next = above === -1 ? curve.at(-1) : curve[above];
  if (!next) throw new RangeError("A calibration curve needs a point.");
  const before = curve[above - 1];
  if (above <= 0 || !before) return next.calibrated;
  const share = (stated - before.stated) / (next.stated - before.stated);
  return before.calibrated + share * (next.calibrated - before.calibrated);
}

/** Stated confidences of 0 and 1 have no finite log odds; nobody can know that well anyway. */
const MOST_CERTAIN = 0.99;
const NEWTON_STEPS = 50;
const CLOSE_ENOUGH = 1e-10;

/** Points that the curve is kept as, one for every 2.5 percentage points. */
const CURVE_STEPS = 40;

const clamp = (chance: number): number =>
  Math.min(MOST_CERTAIN, Math.max(1 - MOST_CERTAIN, chance));
const logOdds = (chance: number): number => Math.log(chance / (1 - chance));
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

interface Line {
  slope: number;
  offset: number;
}

/**
 * Platt scaling (Platt 1999, with his smoothed targets): a logistic regression of the wins on the log odds of the
 * stated confidence, so that confidences that are right already stay as they are. Where higher confidences won less
 * often, all get the win rate: the order of confidences is never turned around.
 * @param outcomes at least one
 */
export function fitPlatt(outcomes: readonly StatedOutcome[]): CurvePoint[] {
  const wins = outcomes.filter(({ won }) => won).length;
  const targets = {
    won: (wins + 1) / (wins + 2),
    lost: 1 / (outcomes.length - wins + 2),
  };
  const samples = outcomes.map(({ stated, won }) => ({
    x: logOdds(clamp(stated)),
    target: won ? targets.won : targets.lost,
  }));
  const line = maximiseLikelihood(samples);
  const rate = samples.reduce((sum, { target }) => sum + target, 0) / samples.length;
  const { slope, offset } = line.slope > 0 ? line : { slope: 0, offset: logOdds(rate) };
  return Array.from({ length: CURVE_STEPS + 1 }, (_, step) => {
    const stated = step / CURVE_STEPS;
    return { stated, calibrated: sigmoid(slope * logOdds(clamp(stated)) + offset) };
  });
}

/** Newton's method; a ridge far below the weight of one sample keeps it solvable where all confidences are equal. */
function maximiseLikelihood(samples: readonly { x: number; target: number }[]): Line {
  const ridge = 1e-3;
  const line: Line = { slope: 0, offset: 0 };
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const gradient = { slope: -ridge * line.slope, offset: -ridge * line.offset };
    const curvature = { slope: ridge, both: 0, offset: ridge };
    for (const { x, target } of samples) {
      const chance = sigmoid(line.slope * x + line.offset);
      const weight = chance * (1 - chance);
      gradient.slope += (target - chance) * x;
      gradient.offset += target - chance;
      curvature.slope += weight * x * x;
      curvature.both += weight * x;
      curvature.offset += weight;
    }
    const determinant = curvature.slope * curvature.offset - curvature.both ** 2;
    const bySlope =
      (curvature.offset * gradient.slope - curvature.both * gradient.offset) / determinant;
    const byOffset =
      (curvature.slope * gradient.offset - curvature.both * gradient.slope) / determinant;
    line.slope += bySlope;
    line.offset += byOffset;
    if (Math.abs(bySlope) + Math.abs(byOffset) < CLOSE_ENOUGH) break;
  }
  return line;
}

/** A point of a curve from stated to calibrated confidence, both 0–1. */
interface CurvePoint {
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
