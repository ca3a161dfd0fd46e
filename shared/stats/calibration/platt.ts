import type { CurvePoint, StatedOutcome } from "./isotonic.ts";

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
