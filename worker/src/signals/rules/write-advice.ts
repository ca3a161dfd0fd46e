import type { Timeframe } from "@shared/contract/candle.ts";
import { HOLD_CANDLES } from "@shared/contract/constants.ts";
import { formatNumber } from "@shared/node/signals/round-price.ts";
import type { Advice } from "../advice.ts";
import type { MarketBrief } from "../market-brief.ts";
import { formatAtTick, type PriceScale } from "../price-scale.ts";
import { describeCandles, expectedCandles } from "./hold-time.ts";
import { type Judgement, TRADE_THRESHOLD } from "./judge-market.ts";
import { describeMarket, whatToWatch } from "./market-words.ts";
import type { TradeLevels } from "./trade-levels.ts";
import type { Vote } from "./vote.ts";

/** A trade is given twice the time that a random walk would take on average. */
const HOLD_FACTOR = 2;

/** Candles after which a market without a trade deserves another look. */
const LOOK_AGAIN_CANDLES = 6;

/** Puts a judgement into words. */
export function writeAdvice(brief: MarketBrief, judgement: Judgement): Advice {
  const { levels } = judgement;
  return {
    ...(levels ? tradePart({ brief, judgement, levels }) : waitPart(brief.timeframe, judgement)),
    key_evidence: [...judgement.votes].sort(byWeightOfVote).map(describeVote),
    market_condition: describeMarket(brief, judgement.votes),
    what_to_watch_for: whatToWatch(brief, levels),
  };
}

type DecisionPart = Omit<Advice, "key_evidence" | "market_condition" | "what_to_watch_for">;

function tradePart(options: {
  brief: MarketBrief;
  judgement: Judgement;
  levels: TradeLevels;
}): DecisionPart {
  const { brief, judgement, levels } = options;
  const signal = judgement.score > 0 ? "BUY" : "SELL";
  const expected = expectedCandles(levels, brief.indicators.atr14 ?? 0);
  const holdCandles = Math.min(expected * HOLD_FACTOR, HOLD_CANDLES.max);
  const hold = describeCandles(holdCandles, brief.timeframe);
  return {
    final_signal: signal,
    // From 54 at the threshold to 80 where every rule agrees: a scaled score, not a measured win rate.
    confidence: Math.round(40 + 40 * Math.abs(judgement.score)),
    entry: levels.entry,
    stop_loss: levels.stopLoss,
    take_profit: levels.takeProfit,
    rationale: `The readings lean to ${signal}: ${describeCount(judgement)}. ${describeLevels(levels, brief.scale)}`,
    suggested_hold: hold,
    hold_candles: holdCandles,
    trade_duration_text:
      `Stop or target is expected to be met in ${describeCandles(expected, brief.timeframe)}; ` +
      `leave the trade if neither was met after ${hold}.`,
  };
}

function waitPart(timeframe: Timeframe, judgement: Judgement): DecisionPart {
  return {
    final_signal: "WAIT",
    // The more evenly the votes are split, the surer it is that there is no trade.
    confidence: Math.round(60 - 30 * Math.abs(judgement.score)),
    entry: null,
    stop_loss: null,
    take_profit: null,
    rationale:
      `No trade: ${describeCount(judgement)}. A trade takes a lean of ${TRADE_THRESHOLD.score} to either side, ` +
      `${TRADE_THRESHOLD.agreement * 100}% agreement and a market that moves.`,
    suggested_hold: "No position",
    hold_candles: null,
    trade_duration_text: `No trade. Look again after ${describeCandles(LOOK_AGAIN_CANDLES, timeframe)}.`,
  };
}

function describeCount({ score, agreement, votes }: Judgement): string {
  return (
    `the weighted mean of ${votes.length} readings is ${formatNumber(score, 2)} on a scale from -1 (sell) to 1 (buy), ` +
    `and ${formatNumber(agreement * 100, 0)}% of their weight agrees`
  );
}

function describeLevels(levels: TradeLevels, scale: PriceScale): string {
  const { entry, stopLoss, takeProfit } = levels;
  const show = (level: number) => formatAtTick(level, scale);
  const rewardToRisk = Math.abs(takeProfit - entry) / Math.abs(entry - stopLoss);
  return (
    `Entry at the last close ${show(entry)}, stop at ${show(stopLoss)}, ` +
    `target at ${show(takeProfit)}: reward to risk ${formatNumber(rewardToRisk, 2)}.`
  );
}

function byWeightOfVote(a: Vote, b: Vote): number {
  return Math.abs(b.value * b.weight) - Math.abs(a.value * a.weight);
}

function describeVote({ value, evidence }: Vote): string {
  if (value > 0) return `For buying: ${evidence}`;
  return value < 0 ? `For selling: ${evidence}` : `Undecided: ${evidence}`;
}
