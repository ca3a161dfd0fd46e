import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import { calibrate } from "@shared/stats/calibration/calibrate.ts";
import type { Database } from "../database.ts";
import type { CalibrationRecord } from "../models/calibration.ts";
import { UNVERSIONED } from "./series.ts";

/** What a fit is made of. */
export type FitSeries = Pick<CalibrationRecord, "data" | "analyst" | "version">;

/** The series whose fit corrects this analysis; null for a WAIT, which can neither win nor lose. */
function fitSeriesOf({ final_signal: signal, source }: UnsizedAnalysis): FitSeries | null {
  const { data, analyst, analyst_version: version = UNVERSIONED } = source;
  return signal === "WAIT" || data === "none" ? null : { data, analyst, version };
}

/** The newest fit that was made before `at`, all of whose signals were resolved before it too. */
export function findFit(
  database: Database,
  { data, analyst, version }: FitSeries,
  at: Date,
): Promise<CalibrationRecord | null> {
  return database.calibrations
    .findOne({ data, analyst, version, fittedAt: { $lte: at }, fittedUntil: { $lt: at } })
    .sort({ fittedAt: -1 })
    .lean()
    .exec();
}

/** The confidence of a signal as a fit corrects it, 0–100 with one decimal. */
const correctedBy = ({ curve }: CalibrationRecord, { confidence }: UnsizedAnalysis): number =>
  Math.round(calibrate(curve, confidence / 100) * 1_000) / 10;

/**
 * The confidence of a signal made at `at` as the record of its analyst corrects it; null while there is none.
 * @param options.find where the fit comes from
 */
export async function calibratedConfidence(
  database: Database,
  options: { analysis: UnsizedAnalysis; at: Date; find?: typeof findFit },
): Promise<number | null> {
  const { analysis, at, find = findFit } = options;
  const series = fitSeriesOf(analysis);
  const fit = series && (await find(database, series, at));
  return fit && correctedBy(fit, analysis);
}
