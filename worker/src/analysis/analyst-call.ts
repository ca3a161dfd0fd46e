import type { SignalKind } from "@shared/contract/signal.ts";
import type { AdviceReply, ChartReply, TokenUsage } from "./analyst.ts";
import type { ValidatedAdvice } from "./validate-advice.ts";

export interface Answered<Reply> {
  reply: Reply;
  /** Calls, including failed ones. */
  tries: number;
  usage: TokenUsage | null;
}

export type AnalystAnswer = Answered<AdviceReply>;
export type ChartAnswer = Answered<ChartReply>;

/** How often each direction was the answer. */
export type Votes = Record<SignalKind, number>;

/** One request to the analyst, its reply, and the result of the check. */
export interface AnalystCall extends AnalystAnswer {
  corrections: string[];
  checked: ValidatedAdvice;
  /** Of a call that several samples were combined to. */
  votes?: Votes;
}
