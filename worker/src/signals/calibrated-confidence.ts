import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { CalibrationRecord } from "@shared/database/models/performance.ts";
import { UNVERSIONED } from "@shared/domain/performance-series.ts";
import { calibrate } from "../record/calibration.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const MAX_AGE_MS = 1_000;

interface ReadFit {
  at: Date;
  fit: Promise<CalibrationRecord | null>;
}

const readFits = new WeakMap<Database, Map<string, ReadFit>>();

/** A signal does not fail if the calibration cannot be read. */
export async function withCalibration(
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
  analysis: UnsizedAnalysis,
): Promise<UnsizedAnalysis> {
  try {
    const calibrated = await calibratedConfidence(database, { analysis, at: now() }, recentFit);
    return { ...analysis, calibrated_confidence: calibrated };
  } catch (error) {
    logger.warn({ err: error }, "confidence could not be calibrated");
    return { ...analysis, calibrated_confidence: null };
  }
}

/** 0–100 with one decimal; null for a WAIT, and without a fit from before `at`. */
export async function calibratedConfidence(
  database: Database,
  { analysis, at }: { analysis: UnsizedAnalysis; at: Date },
  find = findFit,
): Promise<number | null> {
  const series = fitSeriesOf(analysis);
  const fit = series && (await find(database, series, at));
  return fit && Math.round(calibrate(fit.curve, analysis.confidence / 100) * 1_000) / 10;
}

type FitSeries = Pick<CalibrationRecord, "data" | "analyst" | "version">;

/** Null for a WAIT, which can neither win nor lose. */
function fitSeriesOf({ final_signal: signal, source }: UnsizedAnalysis): FitSeries | null {
  const { data, analyst, analyst_version: version = UNVERSIONED } = source;
  return signal === "WAIT" || data === "none" ? null : { data, analyst, version };
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
  const isFresh = last && Math.abs(at.getTime() - last.at.getTime()) < MAX_AGE_MS;
  if (isFresh) return last.fit;
  const fit = findFit(database, series, at);
  known.set(key, { at, fit });
  fit.catch(() => known.delete(key));
  return fit;
}

/** The newest fit from before `at`, made only of signals resolved before it. */
const findFit = (
  database: Database,
  series: FitSeries,
  at: Date,
): Promise<CalibrationRecord | null> =>
  database.calibrations
    .findOne({ ...series, fittedAt: { $lte: at }, fittedUntil: { $lt: at } })
    .sort({ fittedAt: -1 })
    .lean()
    .exec();
