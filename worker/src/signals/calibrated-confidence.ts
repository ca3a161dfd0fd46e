import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { CalibrationRecord } from "@shared/database/models/performance.ts";
import { UNVERSIONED } from "@shared/domain/closed-analyses.ts";
import { calibrate } from "@shared/stats/calibration.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const READ_AGAIN_AFTER_MS = 1_000;

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

type FitSeries = Pick<CalibrationRecord, "data" | "analyst" | "version">;

function fitSeriesOf({ final_signal: signal, source }: UnsizedAnalysis): FitSeries | null {
  const { data, analyst, analyst_version: version = UNVERSIONED } = source;
  return signal === "WAIT" || data === "none" ? null : { data, analyst, version };
}

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

const correctedBy = ({ curve }: CalibrationRecord, { confidence }: UnsizedAnalysis): number =>
  Math.round(calibrate(curve, confidence / 100) * 1_000) / 10;

export async function calibratedConfidence(
  database: Database,
  options: { analysis: UnsizedAnalysis; at: Date; find?: typeof findFit },
): Promise<number | null> {
  const { analysis, at, find = findFit } = options;
  const series = fitSeriesOf(analysis);
  const fit = series && (await find(database, series, at));
  return fit && correctedBy(fit, analysis);
}
