import type { CurvePoint } from "./isotonic.ts";

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
