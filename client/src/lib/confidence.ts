import type { SignalKind } from "@shared/contract/signal.ts";
import { formatConfidence } from "./format.ts";

/** The confidence of a signal; `calibrated` is absent while the analyst's version has no calibration. */
export interface SignalConfidence {
  signal: SignalKind;
  /** As stated by the analyst, 0 to 100. */
  confidence: number;
  calibrated: number | null | undefined;
}

/** The label of a confidence without a calibration. A WAIT has no outcome, so it is never calibrated. */
export const statedLabel = (signal: SignalKind): string =>
  signal === "WAIT" ? "stated confidence" : "stated confidence, not yet calibrated";

/** A confidence in a few words, such as `62% stated confidence, not yet calibrated`. */
export function confidenceWords({ signal, confidence, calibrated }: SignalConfidence): string {
  const stated = formatConfidence(confidence);
  if (typeof calibrated !== "number") return `${stated} ${statedLabel(signal)}`;
  return `${stated} stated confidence, ${formatConfidence(calibrated)} calibrated`;
}
