import { closedTrade } from "@shared/stats/closed-trade.ts";
import type { ClosedTrade, Fate, SignalEntry } from "@shared/stats/tally.ts";
import type { EndedSignal } from "./ended-signals.ts";

/** What became of a signal. */
function fateOf({ status, analysis, outcome, judgement }: EndedSignal): Fate {
  if (status === "failed") return "failed";
  if (analysis.final_signal === "WAIT") return "wait";
  if (outcome === undefined || !judgement) return "pending";
  if (outcome === "WIN") return "win";
  if (outcome === "LOSS") return "loss";
  return judgement.reason === "not-filled" ? "not-filled" : "expired";
}

/** When a signal ended: judged by the market, or made where there was nothing to judge. Null while it is pending. */
export function endedAt(signal: EndedSignal): Date | null {
  const fate = fateOf(signal);
  if (fate === "pending") return null;
  if (fate === "failed" || fate === "wait") return signal.finishedAt ?? signal.updatedAt;
  return new Date(signal.judgement?.resolved_at ?? Number.NaN);
}

/** A signal as the statistics count it. */
export function entryOf(signal: EndedSignal): SignalEntry {
  const { analysis } = signal;
  const { calibrated_confidence: calibrated = null } = analysis;
  const fate = fateOf(signal);
  return {
    fate,
    at: (endedAt(signal) ?? signal.updatedAt).getTime(),
    confidence: analysis.confidence / 100,
    calibratedConfidence: calibrated === null ? null : calibrated / 100,
    trade: tradeOf(signal),
  };
}

function tradeOf({ analysis, judgement }: EndedSignal): ClosedTrade | null {
  const { stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  if (!judgement || stopLoss === null || takeProfit === null) return null;
  return closedTrade({ ...judgement, stopLoss, takeProfit });
}
