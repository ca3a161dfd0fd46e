import { noEdgeChance } from "@shared/stats/no-edge.ts";
import type { Fate, SignalEntry } from "@shared/stats/tally.ts";
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
  const { analysis, judgement } = signal;
  const { calibrated_confidence: calibrated = null } = analysis;
  const fate = fateOf(signal);
  const isClosed = fate === "win" || fate === "loss" || fate === "expired";
  return {
    fate,
    at: (endedAt(signal) ?? signal.updatedAt).getTime(),
    confidence: analysis.confidence / 100,
    calibratedConfidence: calibrated === null ? null : calibrated / 100,
    noEdge: fate === "win" || fate === "loss" ? noEdgeOf(signal) : null,
    rMultiple: isClosed ? (judgement?.r_multiple ?? null) : null,
  };
}

/** From the price that it was filled at: a better or worse one than asked for changes the chances. */
function noEdgeOf({ analysis, judgement }: EndedSignal): number | null {
  const { stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  const entry = judgement?.fill ?? analysis.entry;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  return noEdgeChance({ entry, stopLoss, takeProfit });
}
