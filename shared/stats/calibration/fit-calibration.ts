import { calibrate } from "./calibrate.ts";
import { type CurvePoint, fitIsotonic, type StatedOutcome } from "./isotonic.ts";
import { fitPlatt } from "./platt.ts";

/** Resolved signals that a fit needs: with fewer, its own error is as large as what it corrects. */
export const ENOUGH_OUTCOMES = 300;

/** The newest outcomes that a fit uses; older ones tell of markets and of a model long gone. */
export const MOST_OUTCOMES = 5_000;

/** A resolved signal; `resolvedAt` in Unix milliseconds. */
export interface TimedOutcome extends StatedOutcome {
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
 * @returns null while fewer than 300 signals are resolved
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
  const method = steadierMethod(known);
  const { resolvedAt: fittedUntil } = last;
  return { method, count: known.length, fittedUntil, curve: METHODS[method](known) };
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
