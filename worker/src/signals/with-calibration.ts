import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { CalibrationRecord } from "@shared/node/models/calibration.ts";
import {
  calibratedConfidence,
  type FitSeries,
  findFit,
} from "@shared/node/performance/calibrated-confidence.ts";
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
