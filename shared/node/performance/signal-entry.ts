import { closedTrade } from "@shared/stats/closed-trade.ts";
import type { ClosedTrade, Fate, SignalEntry } from "@shared/stats/tally.ts";
import type { EndedAnalysis } from "./ended-analyses.ts";

/** What became of an analysis. */
function fateOf({ status, result: { analysis }, outcome, judgement }: EndedAnalysis): Fate {
  if (status === "failed") return "failed";
  if (analysis.final_signal === "WAIT") return "wait";
  if (outcome === undefined || !judgement) return "pending";
  if (outcome === "WIN") return "win";
  if (outcome === "LOSS") return "loss";
  return judgement.reason === "not-filled" ? "not-filled" : "expired";
}

/** When an analysis ended: its trade was resolved, or it was finished without one. Null while it is pending. */
export function endedAt(ended: EndedAnalysis): Date | null {
  const fate = fateOf(ended);
  if (fate === "pending") return null;
  if (fate === "failed" || fate === "wait") return ended.finishedAt;
  return new Date(ended.judgement?.resolved_at ?? Number.NaN);
}

/** An analysis as the statistics count it. */
export function entryOf(ended: EndedAnalysis): SignalEntry {
  const { analysis } = ended.result;
  const { calibrated_confidence: calibrated = null } = analysis;
  const fate = fateOf(ended);
  return {
    fate,
    at: (endedAt(ended) ?? ended.finishedAt).getTime(),
    confidence: analysis.confidence / 100,
    calibratedConfidence: calibrated === null ? null : calibrated / 100,
    trade: tradeOf(ended),
  };
}

function tradeOf({ result: { analysis }, judgement }: EndedAnalysis): ClosedTrade | null {
  const { stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  if (!judgement || stopLoss === null || takeProfit === null) return null;
  return closedTrade({ ...judgement, stopLoss, takeProfit });
}
