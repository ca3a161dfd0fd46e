import type { HistoryItem, SignalResponse } from "./signal.ts";

/** A signal in the history. Without `zod`, to keep the first load of pages small. */
export function historyItemOf(signal: SignalResponse): HistoryItem {
  const { signal_id, created_at, symbol, timeframe, status, analysis, entry_left } = signal;
  const calibrated = analysis?.calibrated_confidence;
  return {
    id: signal_id,
    timestamp: created_at,
    symbol,
    timeframe,
    status,
    signal: analysis?.final_signal ?? "WAIT",
    confidence: analysis?.confidence ?? 0,
    ...(typeof calibrated === "number" && { calibrated_confidence: calibrated }),
    entry: analysis?.entry ?? null,
    stop_loss: analysis?.stop_loss ?? null,
    take_profit: analysis?.take_profit ?? null,
    ...(analysis?.valid_until && { valid_until: analysis.valid_until }),
    ...(entry_left && { entry_left }),
    rationale: analysis?.raw_ai.rationale ?? "",
    ...(analysis?.source.analysis_id && { analysis_id: analysis.source.analysis_id }),
    ...(analysis?.source.demo_record && { demo_record: true }),
  };
}
