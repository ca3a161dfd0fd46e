import { HOLD_CANDLES } from "@shared/contract/constants.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import { formatDistance, formatNumber } from "@shared/domain/format-price.ts";
import type { Advice, Analyst } from "../analyst.ts";
import { describeCandles, holdWords } from "../hold-words.ts";
import { structureAround, volatilityRegime } from "../indicators.ts";
import { formatAtTick, type MarketBrief, type PriceScale } from "../market-brief.ts";
import {
  isClear,
  type MarketScore,
  scoreMarket,
  type TradeLevels,
  type Vote,
} from "./score-market.ts";

/** Changes with every change of the rules or their words, so that a past signal can be made again by its version. */
const RULES_VERSION = 5;

export const RULES_MODEL = `rules-v${RULES_VERSION}`;

/** Weighted votes of fixed rules. The same brief always gives the same advice; chart images are not read. */
export const rulesAnalyst: Analyst = {
  name: "rules",
  version: `rules/${RULES_VERSION}`,
  advise: async ({ brief }) => {
    const marketScore = scoreMarket(brief);
    const advice = composeAdvice(brief, marketScore);
    const { symbol, timeframe, price, lastCandleAt, indicators } = brief;
    return {
      advice,
      model: RULES_MODEL,
      prompt: JSON.stringify({ symbol, timeframe, price, lastCandleAt, indicators }),
      rawReply: JSON.stringify({ ...marketScore, advice }),
      ownNumbers: ownNumbers(marketScore),
    };
  },
};

const ownNumbers = ({ votes, levels }: MarketScore): number[] => [
  votes.length,
  ...(levels ? [rewardToRisk(levels)] : []),
];

const rewardToRisk = ({ entry, stopLoss, takeProfit }: TradeLevels): number =>
  Math.abs(takeProfit - entry) / Math.abs(entry - stopLoss);

/** Twice the expected duration of a random walk. */
const HOLD_FACTOR = 2;

const CHECK_AGAIN_CANDLES = 6;

function composeAdvice(brief: MarketBrief, marketScore: MarketScore): Advice {
  const { levels } = marketScore;
  return {
    ...(levels ? tradePart(brief, marketScore, levels) : waitPart(brief.timeframe, marketScore)),
    key_evidence: [...marketScore.votes].sort(byWeightOfVote).map(describeVote),
    counter_evidence: counterEvidence(marketScore),
    market_condition: describeMarket(brief, marketScore.votes),
    what_to_watch_for: whatToWatch(brief, levels),
  };
}

type DecisionPart = Omit<
  Advice,
  "key_evidence" | "counter_evidence" | "market_condition" | "what_to_watch_for"
>;

/** The readings that point the other way; none of a WAIT. */
function counterEvidence({ score, votes, levels }: MarketScore): string[] {
  if (!levels) return [];
  return votes
    .filter(({ value }) => value * score < 0)
    .sort(byWeightOfVote)
    .map(({ evidence }) => evidence);
}

function tradePart(
  brief: MarketBrief,
  marketScore: MarketScore,
  levels: TradeLevels,
): DecisionPart {
  const signal = marketScore.score > 0 ? "BUY" : "SELL";
  const holdCandles = holdCandlesFor(brief, levels);
  return {
    final_signal: signal,
    // 54 at the threshold to 80 where all rules agree. A scaled score, not a measured win rate.
    confidence: Math.round(40 + 40 * Math.abs(marketScore.score)),
    entry: levels.entry,
    stop_loss: levels.stopLoss,
    take_profit: levels.takeProfit,
    rationale: `${describeAgreement(marketScore)} ${describeLevels(levels, brief.scale)}`,
    hold_candles: holdCandles,
    ...holdWords(holdCandles, brief),
  };
}

function waitPart(timeframe: Timeframe, marketScore: MarketScore): DecisionPart {
  return {
    final_signal: "WAIT",
    // Higher the more evenly the votes are split.
    confidence: Math.round(60 - 30 * Math.abs(marketScore.score)),
    entry: null,
    stop_loss: null,
    take_profit: null,
    rationale: describeWait(marketScore),
    suggested_hold: "No position",
    hold_candles: null,
    trade_duration_text: `No trade. Check again after ${describeCandles(CHECK_AGAIN_CANDLES, timeframe)}.`,
  };
}

const countOf = (votes: readonly Vote[], direction: 1 | -1): number =>
  votes.filter(({ value }) => value * direction > 0).length;

function describeAgreement({ score, votes }: MarketScore): string {
  const [way, count] = score > 0 ? ["up", countOf(votes, 1)] : ["down", countOf(votes, -1)];
  return `${count} of ${votes.length} readings of the market point ${way}, and they carry most of the weight.`;
}

function describeWait(marketScore: MarketScore): string {
  const { votes } = marketScore;
  if (isClear(marketScore)) return "No trade: the readings agree, but the market hardly moves.";
  const [up, down] = [countOf(votes, 1), countOf(votes, -1)];
  return `No trade: the readings of the market do not agree enough. Of ${votes.length}, ${up} point up and ${down} down.`;
}

function describeLevels(levels: TradeLevels, scale: PriceScale): string {
  const { entry, stopLoss, takeProfit } = levels;
  const show = (level: number) => formatAtTick(level, scale);
  const times = formatNumber(rewardToRisk(levels), 2);
  return (
    `Enter at the last close ${show(entry)}, accept the loss at ${show(stopLoss)} ` +
    `and take the profit at ${show(takeProfit)}: the profit would be ${times} times the loss.`
  );
}

function byWeightOfVote(a: Vote, b: Vote): number {
  return Math.abs(b.value * b.weight) - Math.abs(a.value * a.weight);
}

function describeVote({ value, evidence }: Vote): string {
  if (value > 0) return `For buying: ${evidence}`;
  return value < 0 ? `For selling: ${evidence}` : `Undecided: ${evidence}`;
}

const TRENDING = 0.5;

/** `Uptrend with lively volatility (ATR(14) 512.3, 1.31 times its usual size)`. */
function describeMarket(brief: MarketBrief, votes: readonly Vote[]): string {
  const { atr14, atrRatio, atrPercentile } = brief.indicators;
  const trend = trendWord(votes.find((vote) => vote.topic === "averages")?.value ?? 0);
  if (atr14 === null || atrRatio === null || atrPercentile === null) return trend;
  const size = `ATR(14) ${formatDistance(atr14)}, ${formatNumber(atrRatio, 2)} times its usual size`;
  return `${trend} with ${volatilityRegime(atrPercentile)} volatility (${size})`;
}

function whatToWatch(brief: MarketBrief, levels: TradeLevels | null): string[] {
  const { price, scale, indicators } = brief;
  const { resistances, supports } = structureAround(price, indicators.swings);
  const [resistance] = resistances.map((level) => formatAtTick(level, scale));
  const [support] = supports.map((level) => formatAtTick(level, scale));
  return [
    ...(levels ? watchTrade(levels, scale) : []),
    ...(resistance ? [`A close above the resistance at ${resistance} would favour buyers.`] : []),
    ...(support ? [`A close below the support at ${support} would favour sellers.`] : []),
    ...watchHigherTimeframe(brief),
  ];
}

function watchTrade({ entry, stopLoss }: TradeLevels, scale: PriceScale): string[] {
  const side = stopLoss < entry ? "below" : "above";
  return [
    `A close ${side} the stop at ${formatAtTick(stopLoss, scale)} would prove the idea wrong.`,
  ];
}

function watchHigherTimeframe({ indicators }: MarketBrief): string[] {
  if (!indicators.higherTimeframe) return [];
  const { timeframe, trend } = indicators.higherTimeframe;
  return [`A turn of the ${timeframe} trend, which is ${trend} now.`];
}

function trendWord(value: number): string {
  if (value >= TRENDING) return "Uptrend";
  return value <= -TRENDING ? "Downtrend" : "Sideways market";
}

/** Hold limit of a trade with these levels. */
export const holdCandlesFor = ({ indicators }: MarketBrief, levels: TradeLevels): number =>
  Math.min(expectedCandles(levels, indicators.atr14 ?? 0) * HOLD_FACTOR, HOLD_CANDLES.max);

/**
 * √(8/π), mean range of a Brownian path over its standard deviation (Feller 1951; cf. Parkinson's volatility estimate).
 */
const RANGE_PER_DEVIATION = Math.sqrt(8 / Math.PI);

/** Mean exit time of a driftless random walk from the interval between stop and target: risk × reward / variance. */
export function expectedCandles(levels: TradeLevels, atr: number): number {
  const risk = Math.abs(levels.entry - levels.stopLoss);
  const reward = Math.abs(levels.takeProfit - levels.entry);
  const deviation = atr / RANGE_PER_DEVIATION;
  return Math.max(Math.round((risk * reward) / deviation ** 2), 1);
}
