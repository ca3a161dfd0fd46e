import type { Judgement } from "@shared/contract/judgement.ts";
import type { Analysis, Outcome } from "@shared/contract/signal.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";
import { type SignalOverrides, WAIT_ANALYSIS } from "./signal-factory.ts";

interface Trade {
  /** When it was made. */
  at: Date;
  confidence?: number;
  calibrated?: number | null;
  source?: Partial<Analysis["source"]>;
  /** How far the target is, in R. */
  rewardToRisk?: number;
}

interface JudgedTrade extends Trade {
  outcome: Outcome;
  resolvedAt: Date;
  reason?: Judgement["reason"];
  /** In R; by default the target's distance, -1, or nothing. */
  r?: number | null;
}

const ENTRY = 100;
const RISK = 2;

/** Fields of a stored BUY at 100 with its stop at 98 that is not resolved yet; of live data, by the rule-based analyst. */
export function pendingTrade(trade: Trade): SignalOverrides {
  const { at, confidence = 70, calibrated = null, source, rewardToRisk = 2 } = trade;
  const analysis: Analysis = {
    ...WAIT_ANALYSIS,
    final_signal: "BUY",
    confidence,
    calibrated_confidence: calibrated,
    entry: ENTRY,
    stop_loss: ENTRY - RISK,
    take_profit: ENTRY + RISK * rewardToRisk,
    source: { ...WAIT_ANALYSIS.source, data: "live", analyst_version: "rules/1", ...source },
  };
  return { status: "completed", createdAt: at, finishedAt: at, updatedAt: at, analysis };
}

/** The same, resolved by the market. */
export function judgedTrade(trade: JudgedTrade): SignalOverrides {
  const { outcome, resolvedAt, rewardToRisk = 2 } = trade;
  const reasons = { WIN: "target", LOSS: "stop", EXPIRED: "hold-over" } as const;
  const results = { WIN: rewardToRisk, LOSS: -1, EXPIRED: 0 };
  const { reason = reasons[outcome], r = results[outcome] } = trade;
  const isFilled = reason !== "not-filled";
  const time = resolvedAt.toISOString();
  const judgement: Judgement = {
    outcome,
    reason,
    resolved_at: time,
    filled_at: isFilled ? trade.at.toISOString() : null,
    fill: isFilled ? ENTRY : null,
    exited_at: isFilled ? time : null,
    exit: isFilled && r !== null ? ENTRY + r * RISK : null,
    r_multiple: isFilled ? r : null,
    max_favourable_r: null,
    max_adverse_r: null,
    costs: DEFAULT_TRADING_COSTS.crypto,
  };
  return {
    ...pendingTrade(trade),
    ...{ outcome, updatedAt: resolvedAt },
    market: { outcome, judgement },
  };
}
