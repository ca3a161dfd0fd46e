import type { AnalystName } from "@shared/contract/market-data.ts";
import type { TradingCosts } from "@shared/contract/resolution.ts";
import { signalKindSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import type { ChartReading } from "./check-chart.ts";
import type { MarketBrief } from "./market-brief.ts";

/** `costUsd` is null if the price of the model is not known. */
export const tokenUsageSchema = z.object({
  promptTokens: z.number().int().nonnegative(),
  completionTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
});
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

export interface CallUsage extends TokenUsage {
  model: string;
}

export interface AdviceRequest {
  brief: MarketBrief;
  costs: TradingCosts;
  corrections: string[];
  chartImage?: string | undefined;
  abort: AbortSignal;
  onUsage?: ((usage: CallUsage) => void) | undefined;
}

export interface AdviceReply {
  advice: Advice;
  model: string;
  prompt: string;
  rawReply: string;
  /** Why the reply was cut off, as sent back to the analyst. `advice` is `NO_ADVICE` then. */
  cutOff?: string;
  chart?: ChartReading;
  /** Numbers in its texts that it computed itself, in addition to those of the brief. */
  ownNumbers?: readonly number[];
}

/** Port of everything that can assess a market. Rejects with `ProviderError`. */
export interface Analyst {
  readonly name: AnalystName;
  /** Changes with everything that may change the advice, except the model: `rules/2`. */
  readonly version: string;
  advise(request: AdviceRequest): Promise<AdviceReply>;
}

/** Tokens and cost of several calls; null without any. The cost is null as soon as one of them is. */
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

/** Advice before any check. Prices are in the quote currency, confidence is 0–100. */
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
  hold_candles: z.number().nullable(),
  trade_duration_text: z.string(),
});
export type Advice = z.infer<typeof adviceSchema>;

export const NO_TRADE = {
  final_signal: "WAIT",
  confidence: 0,
  entry: null,
  stop_loss: null,
  take_profit: null,
  suggested_hold: "No position",
  hold_candles: null,
  trade_duration_text: "No trade",
} as const satisfies Partial<Advice>;

/** Replaces the advice of a reply that has none. */
export const NO_ADVICE: Advice = {
  ...NO_TRADE,
  rationale: "The analyst gave no complete answer.",
  key_evidence: [],
  market_condition: "Unknown",
  what_to_watch_for: [],
};
