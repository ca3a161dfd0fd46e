import type { CalibrationRecord, CurvePoint } from "@shared/database/models/performance.ts";
import {
  dayNumber,
  effectiveSampleSize,
  groupIntoBlocks,
  holdingOf,
} from "@shared/stats/intervals.ts";

/** With fewer outcomes, the error of a fit is as large as its correction. */
const MIN_OUTCOMES = 300;

/** Effective sample size that a fit needs: the win rate is then known to ±10 percentage points, 2 √(p(1 − p) / 100). */
const MIN_EFFECTIVE_OUTCOMES = 100;

/** A fit uses the newest outcomes. */
export const MAX_OUTCOMES = 5_000;

/** Times are Unix milliseconds. */
export interface TimedOutcome extends StatedOutcome {
  openedAt: number;
  resolvedAt: number;
}

type CalibrationMethod = CalibrationRecord["method"];

/** A curve from stated to calibrated confidence; `fittedUntil` in Unix milliseconds. */
type Calibration = Pick<CalibrationRecord, "method" | "count" | "curve"> & { fittedUntil: number };

/** The earlier part of the outcomes, on which both methods are fitted to compare them. */
const TRAINING_SHARE = 2 / 3;

const METHODS = { platt: fitPlatt, isotonic: fitIsotonic } as const;

/**
 * Fits a calibration on the outcomes before `cutoff`. Platt scaling is steadier for few outcomes, isotonic regression
 * more flexible (Niculescu-Mizil and Caruana 2005). Both are fitted on the earlier two thirds; the one with the lower
 * Brier score on the rest is fitted on all.
 * @param options.cutoff Unix milliseconds
 * @returns null for fewer than 300 outcomes, or if they are equivalent to fewer than 100 independent ones
 */
export function fitCalibration(options: {
  outcomes: readonly TimedOutcome[];
  cutoff: number;
}): Calibration | null {
  const { outcomes, cutoff } = options;
  const known = outcomes
    .filter(({ resolvedAt }) => resolvedAt < cutoff)
    .toSorted((a, b) => a.resolvedAt - b.resolvedAt)
    .slice(-MAX_OUTCOMES);
  const last = known.at(-1);
  if (!last || known.length < MIN_OUTCOMES) return null;
  if (effectiveOutcomes(known) < MIN_EFFECTIVE_OUTCOMES) return null;
  const method = steadierMethod(known);
  const { resolvedAt: fittedUntil } = last;
  return { method, count: known.length, fittedUntil, curve: METHODS[method](known) };
}

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
  const earlier = known.slice(0, cut);
  const later = known.slice(cut);
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
 * The calibrated confidence of a stated one, 0–1: linear between points of the curve, constant beyond its ends.
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

/** The log odds of 0 and 1 are infinite. */
const MAX_CHANCE = 0.99;
const NEWTON_STEPS = 50;
const TOLERANCE = 1e-10;

const CURVE_STEPS = 40;

const clamp = (chance: number): number => Math.min(MAX_CHANCE, Math.max(1 - MAX_CHANCE, chance));
const logOdds = (chance: number): number => Math.log(chance / (1 - chance));
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

interface Line {
  slope: number;
  offset: number;
}

/**
 * Platt scaling with smoothed targets (Platt 1999): a logistic regression of wins on the log odds of the stated
 * confidence. If higher confidences win less often, all get the win rate, since the order is never reversed.
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

/** Newton's method. The small ridge keeps it solvable if all confidences are equal. */
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
    if (Math.abs(bySlope) + Math.abs(byOffset) < TOLERANCE) break;
  }
  return line;
}

/** `stated` is 0–1. */
export interface StatedOutcome {
  stated: number;
  won: boolean;
}

interface Block {
  count: number;
  statedSum: number;
  /** Trades and wins including the prior. */
  weight: number;
  weightedWins: number;
}

/**
 * Trades of the base rate that are added to the first and last pool: a Beta prior with a standard deviation of 10
 * percentage points at a base rate of 50 %, √(p(1 − p) / (25 + 1)).
 */
const PRIOR_TRADES = 25;

/**
 * Isotonic regression by pool-adjacent-violators (Ayer et al. 1955; for calibration Zadrozny and Elkan 2002): win
 * rates of neighbouring confidences are pooled until none falls. Each pool becomes a point at its mean confidence.
 * The first and last pool are shrunk towards the base rate, since they are extreme by construction and apply to
 * everything beyond them.
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

/** One block for each stated confidence, from low to high. */
function levelsOf(outcomes: readonly StatedOutcome[]): Block[] {
  const levels = new Map<number, Block>();
  for (const { stated, won } of outcomes) {
    const one = { count: 1, statedSum: stated, weight: 1, weightedWins: Number(won) };
    const level = levels.get(stated);
    levels.set(stated, level ? join(level, one) : one);
  }
  return [...levels].toSorted(([a], [b]) => a - b).map(([, level]) => level);
}

/** Pools the last block with those before it that won at least as often. */
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
