import type { Analysis } from "./signal.ts";

/** `calibrated_confidence` is absent while the analyst's version has no calibration. */
export type SignalConfidence = Pick<Analysis, "confidence"> & {
  calibrated_confidence?: number | null | undefined;
};

/** Label of an uncalibrated confidence. A WAIT has no outcome, so it is never calibrated. */
export const statedLabel = (signal: string): string =>
  signal === "WAIT" ? "stated confidence" : "stated confidence, not yet calibrated";

/**
 * A confidence in words, such as `62% stated confidence, not yet calibrated`; null for a WAIT without one: no user has
 * analysed the market then, or the analysis was not usable.
 */
export function confidenceWords(
  signal: string,
  { confidence, calibrated_confidence: calibrated }: SignalConfidence,
): string | null {
  if (signal === "WAIT" && confidence === 0) return null;
  const stated = percent(confidence);
  if (typeof calibrated !== "number") return `${stated} ${statedLabel(signal)}`;
  return `${stated} stated confidence, ${percent(calibrated)} calibrated`;
}

const percent = (value: number): string => `${Number(value.toFixed(1))}%`;
