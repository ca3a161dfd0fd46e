import { noEdgeChance } from "@shared/stats/no-edge.ts";
import { type SignalEntry, type Tally, tallySignals } from "@shared/stats/tally.ts";
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
  if (!judgement) {
    return { fate: "pending", at: trade.createdAt, ...stated, noEdge: null, rMultiple: null };
  }
  const { outcome, reason, r_multiple: rMultiple, fill } = judgement;
  const at = Date.parse(judgement.resolved_at);
  if (outcome === "EXPIRED") {
    const fate = reason === "not-filled" ? "not-filled" : "expired";
    return { fate, at, ...stated, noEdge: null, rMultiple };
  }
  const fate = outcome === "WIN" ? "win" : "loss";
  // From the price that it was filled at: a better or worse one than asked for changes the chances.
  const noEdge = noEdgeChance({ ...trade, entry: fill ?? trade.entry });
  return { fate, at, ...stated, noEdge, rMultiple };
}
