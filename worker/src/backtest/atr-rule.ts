import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { type Stake, sizePosition } from "@shared/node/signals/size-position.ts";
import type { Trade } from "@shared/outcomes/trade.ts";
import { isTooCostly } from "../signals/cost-limit.ts";
import { type Geometry, placeTrade } from "./advised-trade.ts";
import type { AtrAt } from "./atr-of-bars.ts";
import { type Course, candleAt } from "./course.ts";
import type { Decide, Decision } from "./walk-market.ts";

/** Candles whose highest high and lowest low a close has to leave behind. */
const CHANNEL_CANDLES = 20;

/**
 * The stop of the Turtles, 2 ATR (Faith, "Way of the Turtle", 2007), and a target of twice that. The hold of a day of
 * hourly candles is the product's own default.
 */
export const ATR_RULE: Geometry = {
  entryAtr: 0,
  stopAtr: -2,
  targetAtr: 4,
  validCandles: 1,
  holdCandles: 24,
};

/**
 * The simplest rule that people trade: a close above the highest high of the 20 candles before (Donchian's channel) is
 * bought, one below their lowest low is sold. As for the analyst, a trade whose costs take too much of its risk is left out.
 */
export function atrRule({
  course,
  stake,
  costs,
  atrAt,
}: {
  course: Course;
  stake: Stake;
  costs: TradingCosts;
  atrAt: AtrAt;
}): Decide {
  return async (bar) => {
    const side = breakout(course, bar);
    const atr = atrAt(bar);
    if (!side || atr === null) return null;
    const trade = placeTrade({ course, bar, side, geometry: ATR_RULE, atr });
    return trade && !isTooCostly(trade, costs) ? sized(trade, stake) : null;
  };
}

/** A trade of a rule, sized as the analyst's are. */
export function sized(trade: Trade, stake: Stake): Decision {
  const { symbol, entry, stopLoss } = trade;
  const { dollarRisk } = sizePosition({ advice: { entry, stop_loss: stopLoss }, symbol, stake });
  return { trade, confidence: null, dollarRisk };
}

function breakout(course: Course, bar: number): Trade["side"] | null {
  const before = course.series.candles.slice(Math.max(0, bar - CHANNEL_CANDLES), bar);
  if (before.length < CHANNEL_CANDLES) return null;
  const { close } = candleAt(course, bar);
  if (close > Math.max(...before.map(({ high }) => high))) return "BUY";
  return close < Math.min(...before.map(({ low }) => low)) ? "SELL" : null;
}
