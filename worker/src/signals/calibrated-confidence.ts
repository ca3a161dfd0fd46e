import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { CalibrationRecord } from "@shared/database/models/performance.ts";
import { UNVERSIONED } from "@shared/domain/performance-series.ts";
import { calibrate } from "../record/calibration.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/** A new fit counts from this time on at the latest; signals that follow each other sooner share a reading. */
const READ_AGAIN_AFTER_MS = 1_000;

interface ReadFit {
  at: Date;
  fit: Promise<CalibrationRecord | null>;
}

const readFits = new WeakMap<Database, Map<string, ReadFit>>();

/** The analysis with its confidence as the record corrects it. Without the database it is left open: a signal does not fail for it. */
export async function withCalibration(
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
  analysis: UnsizedAnalysis,
): Promise<UnsizedAnalysis> {
  try {
    const asked = { analysis, at: now(), find: recentFit };
    return { ...analysis, calibrated_confidence: await calibratedConfidence(database, asked) };
  } catch (error) {
    logger.warn({ err: error }, "confidence could not be calibrated");
    return { ...analysis, calibrated_confidence: null };
  }
}

function recentFit(
  database: Database,
  series: FitSeries,
  at: Date,
): Promise<CalibrationRecord | null> {
  const known = readFits.get(database) ?? new Map<string, ReadFit>();
  readFits.set(database, known);
  const key = JSON.stringify(series);
  const last = known.get(key);
  const isFresh = last && Math.abs(at.getTime() - last.at.getTime()) < READ_AGAIN_AFTER_MS;
  if (isFresh) return last.fit;
  const fit = findFit(database, series, at);
  known.set(key, { at, fit });
  fit.catch(() => known.delete(key));
  return fit;
}

/** What a fit is made of. */
type FitSeries = Pick<CalibrationRecord, "data" | "analyst" | "version">;

/** The series whose fit corrects this analysis; null for a WAIT, which can neither win nor lose. */
function fitSeriesOf({ final_signal: signal, source }: UnsizedAnalysis): FitSeries | null {
  const { data, analyst, analyst_version: version = UNVERSIONED } = source;
  return signal === "WAIT" || data === "none" ? null : { data, analyst, version };
}

/** The newest fit that was made before `at`, all of whose signals were resolved before it too. */
function findFit(
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
