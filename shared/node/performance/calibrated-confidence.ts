import type { Analysis } from "@shared/contract/signal.ts";
import { calibrate } from "@shared/stats/calibration/calibrate.ts";
import type { Database } from "../database.ts";
import { UNVERSIONED } from "./series.ts";

/**
 * The confidence of a new signal as the record of its analyst corrects it, 0–100 with one decimal: by the newest fit
 * that was made before `at`, all of whose signals were resolved before it too. Null while there is none, and for a
 * WAIT, which can neither win nor lose.
 */
export async function calibratedConfidence(
  database: Database,
  { analysis, at }: { analysis: Analysis; at: Date },
): Promise<number | null> {
  const { data, analyst, analyst_version: version = UNVERSIONED } = analysis.source;
  if (analysis.final_signal === "WAIT" || data === "none") return null;
  const fit = await database.calibrations
    .findOne({ data, analyst, version, fittedAt: { $lte: at }, fittedUntil: { $lt: at } })
    .sort({ fittedAt: -1 })
    .lean();
  if (!fit) return null;
  return Math.round(calibrate(fit.curve, analysis.confidence / 100) * 1_000) / 10;
}
