import type { Analysis } from "@shared/contract/signal.ts";
import { calibratedConfidence } from "@shared/node/performance/calibrated-confidence.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/** The analysis with its confidence as the record corrects it. Without the database it is left open: a signal does not fail for it. */
export async function withCalibration(
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
  analysis: Analysis,
): Promise<Analysis> {
  try {
    const calibrated = await calibratedConfidence(database, { analysis, at: now() });
    return { ...analysis, calibrated_confidence: calibrated };
  } catch (error) {
    logger.warn({ err: error }, "confidence could not be calibrated");
    return { ...analysis, calibrated_confidence: null };
  }
}
