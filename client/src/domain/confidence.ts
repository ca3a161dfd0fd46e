import type { Analysis, SignalKind } from "@shared/contract/signal.ts";
import { formatConfidence } from "../lib/format.ts";

/** `calibrated_confidence` is absent while the analyst's version has no calibration. */
export type SignalConfidence = Pick<Analysis, "confidence" | "calibrated_confidence">;

/** Label of an uncalibrated confidence. A WAIT has no outcome, so it is never calibrated. */
export const statedLabel = (signal: SignalKind): string =>
  signal === "WAIT" ? "stated confidence" : "stated confidence, not yet calibrated";

/**
 * A confidence in words, such as `62% stated confidence, not yet calibrated`; null for a WAIT without one: nobody has
 * analysed the market then, or the analysis was not usable.
 */
export function confidenceWords(
  signal: SignalKind,
  { confidence, calibrated_confidence: calibrated }: SignalConfidence,
): string | null {
  if (signal === "WAIT" && confidence === 0) return null;
  const stated = formatConfidence(confidence);
  if (typeof calibrated !== "number") return `${stated} ${statedLabel(signal)}`;
  return `${stated} stated confidence, ${formatConfidence(calibrated)} calibrated`;
}
