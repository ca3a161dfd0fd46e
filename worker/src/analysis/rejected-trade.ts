import type { RejectedTrade } from "@shared/database/models/market-analysis.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { Advice } from "./analyst.ts";
import type { AnalystCall } from "./analyst-call.ts";
import type { MarketBrief } from "./market-brief.ts";
import { holdCandlesFor } from "./rules/rules-analyst.ts";
import { scoreMarket, tradeLevels } from "./rules/score-market.ts";

/**
 * The trade that an analyst's WAIT did not take: the analyst's own where it proposed one that costs too much. Otherwise
 * it has the levels of the rules, in the direction of levels that were rejected, or in that to which the rules lean on
 * the same candles. Nothing of it depends on what the market did next.
 * @returns null of a trade, and where the rules have no levels or lean to neither side
 */
export function rejectedTrade(
  brief: MarketBrief,
  { checked, reply }: AnalystCall,
  decision: Advice,
): RejectedTrade | null {
  if (decision.final_signal !== "WAIT") return null;
  const own = checked.accepted ? tradeOf(checked.advice, brief) : null;
  if (own) return own;
  const { final_signal: proposed } = reply.advice;
  const side = proposed === "WAIT" ? leaningOf(brief) : proposed;
  const levels = side && tradeLevels(brief, side === "BUY" ? 1 : -1);
  return levels && { side, ...levels, holdCandles: holdCandlesFor(brief, levels) };
}

function tradeOf(advice: Advice, brief: MarketBrief): RejectedTrade | null {
  const { final_signal: side, entry, stop_loss: stopLoss, take_profit: takeProfit } = advice;
  if (side === "WAIT" || entry === null || stopLoss === null || takeProfit === null) return null;
  const { hold_candles: candles, suggested_hold: text } = advice;
  const { timeframe, lastCandleAt: from } = brief;
  const holdCandles = holdLimit({ candles, text, timeframe, from });
  return { side, entry, stopLoss, takeProfit, holdCandles };
}

function leaningOf(brief: MarketBrief): RejectedTrade["side"] | null {
  const { score } = scoreMarket(brief);
  if (score === 0) return null;
  return score > 0 ? "BUY" : "SELL";
}
