import { signalKindSchema } from "@shared/contract/signal.ts";
import type { AnalystName } from "@shared/contract/status.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { z } from "zod";
import type { ChartReading } from "./check-chart.ts";
import type { MarketBrief } from "./market-brief.ts";

/** Tokens used, and what they cost in US dollars; null where the model's price is not known. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  costUsd: number | null;
}

/** Tokens of one call, and of which model. */
export interface CallUsage extends TokenUsage {
  model: string;
}

/** What an analyst is asked. `corrections` are the reasons for which its last advice was not accepted. */
export interface AdviceRequest {
  brief: MarketBrief;
  /** What trading this market costs; a stop that is too near for them is not proposed. */
  costs: TradingCosts;
  corrections: string[];
  /** The trader's chart picture as a data URL. */
  chartImage?: string;
  abort: AbortSignal;
  /** Called with the tokens of every call right after it has ended, whatever the reply says. */
  onUsage?: (usage: CallUsage) => void;
}

/** The advice and how it came about; `prompt` and `rawReply` go into the signal's receipt. */
export interface AdviceReply {
  advice: Advice;
  model: string;
  prompt: string;
  rawReply: string;
  /** Why the reply has no advice, as the analyst is told: it was cut off at a limit. `advice` is `NO_ADVICE` then. */
  cutOff?: string;
  /** What it read off the trader's chart picture. */
  chart?: ChartReading;
  /** Figures in its words that it worked out itself, beside those of the brief. */
  ownFigures?: readonly number[];
}

/** Port of whatever judges a market. Rejects with `ProviderError` when no advice can be had. */
export interface Analyst {
  readonly name: AnalystName;
  /** Changes with everything that may change its judgement but the model: `rules/2`. */
  readonly version: string;
  advise(request: AdviceRequest): Promise<AdviceReply>;
}

/** Tokens and cost of several calls; null without any. The cost is unknown as soon as one of them is. */
export function totalUsage(usages: readonly TokenUsage[]): TokenUsage | null {
  if (usages.length === 0) return null;
  const nothing: TokenUsage = { promptTokens: 0, completionTokens: 0, costUsd: 0 };
  return usages.reduce(
    (total, { promptTokens, completionTokens, costUsd }) => ({
      promptTokens: total.promptTokens + promptTokens,
      completionTokens: total.completionTokens + completionTokens,
      costUsd: total.costUsd === null || costUsd === null ? null : total.costUsd + costUsd,
    }),
    nothing,
  );
}

/** What an analyst answers, before any check; prices are in the quote currency, confidence is 0–100. */
export const adviceSchema = z.object({
  final_signal: signalKindSchema,
  confidence: z.number(),
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
  rationale: z.string(),
  key_evidence: z.array(z.string()),
  market_condition: z.string(),
  what_to_watch_for: z.array(z.string()),
  suggested_hold: z.string(),
  /** The hold as a number of candles; null for a WAIT, and from a model that does not send it. */
  hold_candles: z.number().nullable(),
  trade_duration_text: z.string(),
});
export type Advice = z.infer<typeof adviceSchema>;

/** Stands for the advice of an answer that has none. */
export const NO_ADVICE: Advice = {
  final_signal: "WAIT",
  confidence: 0,
  entry: null,
  stop_loss: null,
  take_profit: null,
  rationale: "The analyst gave no complete answer.",
  key_evidence: [],
  market_condition: "Unknown",
  what_to_watch_for: [],
  suggested_hold: "No position",
  hold_candles: null,
  trade_duration_text: "No trade",
};
