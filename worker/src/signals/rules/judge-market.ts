import type { MarketBrief } from "../market-brief.ts";
import { voteOnMacd, voteOnRsi } from "./momentum-votes.ts";
import { voteOnRoom, voteOnSwings } from "./structure-votes.ts";
import { type TradeLevels, tradeLevels } from "./trade-levels.ts";
import { voteOnAverages, voteOnHigherTimeframe } from "./trend-votes.ts";
import { voteOnBands, voteOnVolume } from "./volatility-votes.ts";
import { agreementWith, scoreOf, type Vote, type Voter } from "./vote.ts";

const VOTERS: readonly Voter[] = [
  voteOnAverages,
  voteOnHigherTimeframe,
  voteOnMacd,
  voteOnRsi,
  voteOnSwings,
  voteOnVolume,
  voteOnBands,
  voteOnRoom,
];

/**
 * How far the votes must lean, and what share of their weight must agree, before a trade is proposed. No edge over
 * chance has been shown for these bounds: README.md, "What has been measured", has the date, the data and the figures.
 */
export const TRADE_THRESHOLD = { score: 0.35, agreement: 0.6 } as const;

/** How the votes fell; `levels` is null where they do not carry a trade. */
export interface Judgement {
  votes: Vote[];
  /** −1 (sell) to +1 (buy). */
  score: number;
  /** Share of the votes' weight on the side of the score, 0 to 1. */
  agreement: number;
  levels: TradeLevels | null;
}

/** Lets every rule vote on the market, and finds levels for a trade where they agree enough. */
export function judgeMarket(brief: MarketBrief): Judgement {
  const votes = VOTERS.flatMap((vote) => vote(brief) ?? []);
  const score = scoreOf(votes);
  const agreement = agreementWith(votes, score);
  const isClear =
    Math.abs(score) >= TRADE_THRESHOLD.score && agreement >= TRADE_THRESHOLD.agreement;
  const levels = isClear ? tradeLevels({ brief, direction: score > 0 ? 1 : -1 }) : null;
  return { votes, score, agreement, levels };
}
