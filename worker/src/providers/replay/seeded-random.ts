import { createHash } from "node:crypto";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

const DEGREES_OF_FREEDOM = 4;

/** Random numbers that are the same for the same seed, on every machine. */
export interface SeededRandom {
  /** Uniform in (0, 1). */
  uniform(): number;
  /**
   * Student's t with 4 degrees of freedom, scaled to variance 1: the fat tails of market returns.
   */
  fatTailed(): number;
}

/** A generator of its own for each seed text, such as a symbol with a time. */
export function seededRandom(seed: string): SeededRandom {
  const digest = createHash("sha256").update(seed).digest();
  const state = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset));
  const generator = xoroshiro128plusFromState(state);
  const uniform = () => Math.max(uniformFloat64(generator), Number.EPSILON);
  return { uniform, fatTailed: () => studentT(uniform) };
}

/**
 * Box-Muller normal over the root of a chi-square, which for 4 degrees of freedom is a sum of two
 * exponentials.
 */
function studentT(uniform: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const chiSquare = -2 * Math.log(uniform() * uniform());
  const variance = DEGREES_OF_FREEDOM / (DEGREES_OF_FREEDOM - 2);
  return (normal * Math.sqrt(DEGREES_OF_FREEDOM / chiSquare)) / Math.sqrt(variance);
}
