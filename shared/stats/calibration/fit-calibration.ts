import { effectiveSampleSize } from "../clustered-mean.ts";
import { dayNumber, groupIntoBlocks, holdingOf } from "../time-blocks.ts";
import { calibrate } from "./calibrate.ts";
import { type CurvePoint, fitIsotonic, type StatedOutcome } from "./isotonic.ts";
import { fitPlatt } from "./platt.ts";

/** Resolved signals that a fit needs: with fewer, its own error is as large as what it corrects. */
export const ENOUGH_OUTCOMES = 300;

/**
 * Independent outcomes that they have to be equivalent to: the win rate is then known to within 10 percentage points,
 * ±2 √(p(1 − p) / 100). Trades that overlap in time count for less than their number.
 */
export const MIN_EFFECTIVE_OUTCOMES = 100;

/** The newest outcomes that a fit uses; older ones tell of markets and of a model long gone. */
export const MOST_OUTCOMES = 5_000;

/** A resolved signal, from its fill to its end; times in Unix milliseconds. */
export interface TimedOutcome extends StatedOutcome {
  openedAt: number;
  resolvedAt: number;
}

export type CalibrationMethod = "isotonic" | "platt";

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
