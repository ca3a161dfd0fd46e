import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { UNVERSIONED } from "@shared/stats/performance-metrics.ts";
import { calibrate } from "../record/calibration.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/** A signal does not fail if the calibration cannot be read. */
export async function withCalibration(
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
  analysis: UnsizedAnalysis,
): Promise<UnsizedAnalysis> {
  try {
    const calibrated = await calibratedConfidence(database, { analysis, at: now() });
    return { ...analysis, calibrated_confidence: calibrated };
  } catch (error) {
    logger.warn({ err: error }, "confidence could not be calibrated");
    return { ...analysis, calibrated_confidence: null };
  }
}

/**
 * 0–100 with one decimal, by the newest fit from before `at`, made only of signals resolved before it.
 * Null without such a fit, and for a WAIT, which can neither win nor lose.
 */
export async function calibratedConfidence(
  database: Database,
  { analysis, at }: { analysis: UnsizedAnalysis; at: Date },
): Promise<number | null> {
  const { final_signal: signal, confidence, source } = analysis;
  const { data, analyst, analyst_version: version = UNVERSIONED } = source;
  if (signal === "WAIT" || data === "none") return null;
  const fit = await database.calibrations
    .findOne({ data, analyst, version, fittedAt: { $lte: at }, fittedUntil: { $lt: at } })
    .sort({ fittedAt: -1 })
    .lean();
  return fit && Math.round(calibrate(fit.curve, confidence / 100) * 1_000) / 10;
}
