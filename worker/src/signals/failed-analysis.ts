import type { SignalSource, UnsizedAnalysis } from "@shared/contract/signal.ts";
import { TEXTS } from "@shared/contract/texts.ts";

const NO_SOURCE: SignalSource = {
  data: "none",
  provider: "none",
  analyst: "none",
  model: "none",
  last_candle_at: null,
  price: null,
};

/**
 * What a signal that could not be made answers: a WAIT without confidence. `reason` is a plain sentence on what was
 * the matter; `source` is what is known of where the data came from.
 */
export function failedAnalysis(options: {
  reason: string;
  source?: SignalSource;
}): UnsizedAnalysis {
  const { reason, source = NO_SOURCE } = options;
  return {
    final_signal: "WAIT",
    confidence: 0,
    entry: null,
    stop_loss: null,
    take_profit: null,
    warnings: [TEXTS.failedSignal, reason],
    suggested_hold: "No position",
    hold_candles: null,
    trade_duration_text: "No trade",
    raw_ai: {
      confidence: 0,
      rationale: reason,
      key_evidence: [],
      market_condition: "Unknown",
      what_to_watch_for: [],
    },
    source,
  };
}
