import type { Analyst } from "./analyst.ts";
import { type Judgement, judgeMarket, TRADE_THRESHOLD } from "./rules/judge-market.ts";
import { writeAdvice } from "./rules/write-advice.ts";

/** Changes with every change of the rules, so that a past signal tells which rules made it. */
const RULES_VERSION = 3;

/**
 * The built-in analyst: fixed rules on trend, momentum, volatility, structure and volume vote on the market, and their
 * agreement decides. The same brief always gives the same advice; no service is asked, and chart images are not read.
 */
export const rulesAnalyst: Analyst = {
  name: "rules",
  version: `rules/${RULES_VERSION}`,
  advise: async ({ brief }) => {
    const judgement = judgeMarket(brief);
    const advice = writeAdvice(brief, judgement);
    const { symbol, timeframe, price, lastCandleAt, indicators } = brief;
    return {
      advice,
      model: `rules-v${RULES_VERSION}`,
      prompt: JSON.stringify({ symbol, timeframe, price, lastCandleAt, indicators }),
      rawReply: JSON.stringify({ ...judgement, advice }),
      ownFigures: ownFigures(judgement),
    };
  },
};

/** What its words cite beside the market: how the votes fell, and what a trade takes. */
function ownFigures({ votes, score, agreement }: Judgement): number[] {
  return [
    votes.length,
    score,
    100 * agreement,
    TRADE_THRESHOLD.score,
    100 * TRADE_THRESHOLD.agreement,
  ];
}
