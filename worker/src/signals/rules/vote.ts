import type { MarketBrief } from "../market-brief.ts";

/** What one reading of the market speaks for. */
export interface Vote {
  topic: string;
  /** From −1 (sell) over 0 (undecided) to +1 (buy). */
  value: number;
  /** Share in the decision, relative to the other votes. */
  weight: number;
  /** One sentence with the numbers that the vote rests on. */
  evidence: string;
}

/** Reads one thing of a market; null where the brief lacks what it needs. */
export type Voter = (brief: MarketBrief) => Vote | null;

/** Keeps a vote between −1 and +1. */
export function clampVote(value: number): number {
  return Math.min(Math.max(value, -1), 1);
}

/** Weighted mean of the votes, −1 to +1; 0 without any. */
export function scoreOf(votes: readonly Pick<Vote, "value" | "weight">[]): number {
  const weight = sum(votes.map((vote) => vote.weight));
  return weight === 0 ? 0 : sum(votes.map((vote) => vote.value * vote.weight)) / weight;
}

/** Share of the weight, 0 to 1, that votes the same way as `direction` (its sign). */
export function agreementWith(votes: readonly Vote[], direction: number): number {
  const weight = sum(votes.map((vote) => vote.weight));
  const agreeing = votes.filter((vote) => vote.value * direction > 0);
  return weight === 0 ? 0 : sum(agreeing.map((vote) => vote.weight)) / weight;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
