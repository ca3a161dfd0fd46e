import type { SignalKind } from "@shared/contract/signal.ts";
import type { AdviceReply, TokenUsage } from "./analyst.ts";
import type { ValidatedAdvice } from "./validate-advice.ts";

export interface AnalystAnswer {
  reply: AdviceReply;
  /** Calls, including failed ones. */
  tries: number;
  usage: TokenUsage | null;
}

/** How often each direction was the answer. */
export type Votes = Record<SignalKind, number>;

/** One request to the analyst, its reply, and the result of the check. */
export interface AnalystCall extends AnalystAnswer {
  corrections: string[];
  checked: ValidatedAdvice;
  /** Of a call that several samples were combined to. */
  votes?: Votes;
}
