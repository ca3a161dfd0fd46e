import type { EvidenceItem } from "@shared/contract/evidence.ts";
import type { AnalystName } from "@shared/contract/market-data.ts";
import type { TradingCosts } from "@shared/contract/resolution.ts";
import { signalKindSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import { ProviderError } from "../market-data/market-data.ts";
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
  /** What is known beside the candles. */
  evidence?: readonly EvidenceItem[];
  /** Why the last reply was not accepted; empty for the first request. */
  corrections: string[];
  /** That reply. Absent where it was empty. */
  rejectedReply?: string | undefined;
  /** What was read off the trader's chart image. */
  chart?: ChartReading | undefined;
  abort: AbortSignal;
  onUsage?: ((usage: CallUsage) => void) | undefined;
}

export interface ChartRequest extends Pick<AdviceRequest, "abort" | "onUsage"> {
  /** Data URL. */
  chartImage: string;
}

interface Reply {
  /** As the settings name it: a record is kept for each. */
  model: string;
  /** As the server names the model that replied, which may be a version of `model` or its replacement. */
  servedModel?: string;
  prompt: string;
  rawReply: string;
}

export interface ChartReply extends Reply {
  /** Null if the reply could not be read. */
  reading: ChartReading | null;
}

export interface AdviceReply extends Reply {
  advice: Advice;
  /** Why the reply was cut off, as sent back to the analyst. `advice` is `NO_ADVICE` then. */
  cutOff?: string;
  /** Why the reply could not be read, likewise. */
  unreadable?: string;
  /** Numbers in its texts that it computed itself, in addition to those of the brief. */
  ownNumbers?: readonly number[];
}

/** A reply without readable advice. `reason` is a sentence that is sent back to the analyst. */
export class UnreadableReplyError extends ProviderError {
  readonly reason: string;
  readonly reply: Pick<AdviceReply, "model" | "prompt" | "rawReply">;

  constructor(fault: {
    reason: string;
    rawReply: string;
    model?: string;
    prompt?: string;
    cause?: unknown;
  }) {
    const { reason, rawReply, model = "", prompt = "", cause } = fault;
    super({ provider: "openai", failure: "nonsense", message: reason, cause });
    this.reason = reason;
    this.reply = { model, prompt, rawReply };
  }

  /** The same fault, with the model and the prompt of its call. */
  of(call: { model: string; prompt: string }): UnreadableReplyError {
    const { reason, reply } = this;
    return new UnreadableReplyError({ ...reply, ...call, reason, cause: this });
  }
}

/** A fault that only another setting fixes, which the message names. The analyst itself logs it, once. */
export class SettingsFaultError extends ProviderError {
  constructor(fault: {
    message: string;
    failure?: "refused" | "rate-limited";
    status?: number | undefined;
    cause?: unknown;
  }) {
    super({ failure: "refused", ...fault, provider: "openai", retryable: false });
  }
}

/** Port of everything that can assess a market. Rejects with `ProviderError`. */
export interface Analyst {
  readonly name: AnalystName;
  /** Changes with everything that may change the advice, except the model: `rules/2`. */
  readonly version: string;
  /** How often it is asked for one analysis, to count what its answers agree on; once by default. */
  readonly samples?: number;
  advise(request: AdviceRequest): Promise<AdviceReply>;
  /**
   * Reads figures off a chart image. It decides nothing and knows nothing of the market, and what decides never gets the
   * image: words in it reach no decision. Absent where images are not read.
   */
  readonly readChart?: (request: ChartRequest) => Promise<ChartReply>;
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

/**
 * Advice before any check. Prices are in the quote currency, confidence is 0–100. A model writes the fields in this order,
 * so that its decision follows from its reasons.
 */
export const adviceSchema = z.object({
  market_condition: z.string(),
  key_evidence: z.array(z.string()),
  counter_evidence: z.array(z.string()),
  rationale: z.string(),
  what_to_watch_for: z.array(z.string()),
  final_signal: signalKindSchema,
  confidence: z.number(),
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
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
  counter_evidence: [],
  market_condition: "Unknown",
  what_to_watch_for: [],
};
