import type { Judgement } from "@shared/contract/judgement.ts";
import { closedTrade } from "@shared/stats/closed-trade.ts";
import { type Fate, type SignalEntry, type Tally, tallySignals } from "@shared/stats/tally.ts";
import type { WalkedTrade } from "./walk-market.ts";

/** The trades as the statistics of the product count them. */
export function tallyTrades(trades: readonly WalkedTrade[]): Tally {
  return tallySignals(trades.map(entryOf));
}

/** What all trades together won or lost, in USD; the stake stays the same, nothing is compounded. */
export function resultUsd(trades: readonly WalkedTrade[]): number {
  return trades.reduce(
    (sum, { judgement, dollarRisk }) => sum + (judgement?.r_multiple ?? 0) * dollarRisk,
    0,
  );
}

function entryOf({ trade, confidence, judgement }: WalkedTrade): SignalEntry {
  const stated = { confidence: (confidence ?? 0) / 100, calibratedConfidence: null };
  if (!judgement) return { fate: "pending", at: trade.createdAt, ...stated, trade: null };
  const { stopLoss, takeProfit } = trade;
  return {
    fate: fateOf(judgement),
    at: Date.parse(judgement.resolved_at),
    ...stated,
    trade: closedTrade({ ...judgement, stopLoss, takeProfit }),
  };
}

function fateOf({ outcome, reason }: Judgement): Fate {
  if (outcome === "WIN") return "win";
  if (outcome === "LOSS") return "loss";
  return reason === "not-filled" ? "not-filled" : "expired";
}
