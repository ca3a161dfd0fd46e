import type { PerformanceQuery } from "@shared/contract/performance.ts";
import type { Analysis, SignalSource } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { performanceParams } from "./performance-params.ts";
import { performanceQuery } from "./performance-query.ts";
import { type RecordFact, recordFacts } from "./record-facts.ts";

/** The measured record of the analyst version that made a signal. */
export interface AnalystRecord {
  data: PerformanceQuery["data"];
  /** Whether the signal's confidence is calibrated, so that it needs no comparison. */
  isCalibrated: boolean;
  state: "loading" | "loaded" | "failed";
  facts: RecordFact[];
  /** Address of the same record on the performance page. */
  address: string;
}

type RecordedAnalysis = Pick<
  Analysis,
  "final_signal" | "confidence" | "calibrated_confidence" | "source"
>;

/** Reads the record of a signal's analyst version; null for a WAIT, which has no outcome, and where nobody analysed. */
export function useAnalystRecord(analysis: RecordedAnalysis): AnalystRecord | null {
  const query = analysis.final_signal === "WAIT" ? null : recordQueryOf(analysis.source);
  const { data: record, isError } = useQuery({
    ...performanceQuery(query ?? { data: "live", period: "all" }),
    enabled: query !== null,
  });
  if (query === null) return null;
  const { confidence, calibrated_confidence: calibrated } = analysis;
  const isCalibrated = typeof calibrated === "number";
  const address = `/performance?${performanceParams(query)}`;
  const known = { data: query.data, isCalibrated, address };
  if (!record) return { ...known, state: isError ? "failed" : "loading", facts: [] };
  return { ...known, state: "loaded", facts: recordFacts(record, { confidence, isCalibrated }) };
}

function recordQueryOf({ data, analyst, analyst_version }: SignalSource): PerformanceQuery | null {
  if (data === "none" || analyst === "none" || analyst_version === undefined) return null;
  return { data, analyst, version: analyst_version, period: "all" };
}
