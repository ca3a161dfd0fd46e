import type { AnalystName } from "@shared/contract/status.ts";
import type { Advice } from "./advice.ts";
import type { MarketBrief } from "./market-brief.ts";

/** What an analyst is asked. `corrections` are the reasons for which its last advice was not accepted. */
export interface AdviceRequest {
  brief: MarketBrief;
  corrections: string[];
  /** The trader's chart picture as a data URL. */
  chartImage?: string;
  abort: AbortSignal;
}

/** Tokens that one call used. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

/** The advice and how it came about; `prompt` and `rawReply` go into the signal's receipt. */
export interface AdviceReply {
  advice: Advice;
  model: string;
  prompt: string;
  rawReply: string;
  usage?: TokenUsage;
}

/** Port of whatever judges a market. Rejects with `ProviderError` when no advice can be had. */
export interface Analyst {
  readonly name: AnalystName;
  advise(request: AdviceRequest): Promise<AdviceReply>;
}
