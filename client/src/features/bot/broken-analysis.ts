import type { Analysis } from "@shared/contract/signal.ts";
import { TEXTS } from "@shared/contract/texts.ts";

/** What is shown in place of a signal when none could be asked for: do nothing, and why. */
export function brokenAnalysis(reason: string): Analysis {
  return {
    final_signal: "WAIT",
    confidence: 0,
    entry: null,
    stop_loss: null,
    take_profit: null,
    warnings: [TEXTS.failedSignal],
    suggested_hold: "",
    suggested_units: 0,
    estimated_dollar_risk: 0,
    required_margin: 0,
    trade_duration_text: "",
    raw_ai: {
      confidence: 0,
      rationale: reason,
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
}
