import { MESSAGES } from "@shared/contract/constants.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { ResultCard, ResultDetails } from "../../signals/components/result-card.tsx";
import type { Failure } from "../bot-store.ts";

/** The WAIT that a request without an answer ends as, and beside it why. */
export function FailedResult({ failure: { text, pending } }: { failure: Failure }) {
  const created_at = new Date(pending.requestedAt).toISOString();
  return (
    <>
      <ErrorAlert title="Request failed" message={text} />
      <ResultCard
        signal={{ ...pending.request, created_at }}
        analysis={FAILED_ANALYSIS}
        heading="h2"
      >
        <ResultDetails analysis={FAILED_ANALYSIS} />
      </ResultCard>
    </>
  );
}

const FAILED_ANALYSIS: Analysis = {
  final_signal: "WAIT",
  confidence: 0,
  entry: null,
  stop_loss: null,
  take_profit: null,
  warnings: [MESSAGES.failedSignal],
  suggested_hold: "",
  suggested_units: 0,
  estimated_dollar_risk: 0,
  required_margin: 0,
  trade_duration_text: "",
  raw_ai: {
    confidence: 0,
    rationale: "",
    key_evidence: [],
    market_condition: "",
    what_to_watch_for: [],
  },
  source: {
    data: "none",
    provider: "",
    analyst: "none",
    model: "",
    last_candle_at: null,
    price: null,
  },
};
