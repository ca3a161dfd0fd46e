import { signalKindSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import { ModelRefusalError, ProviderError } from "../../market-data/provider-error.ts";
import { type Advice, adviceSchema, NO_ADVICE } from "../analyst.ts";
import type { ChartReading } from "../check-chart.ts";

/** Compatible servers may omit the other fields. */
const completionSchema = z.object({
  model: z.string().optional(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
});

const tokenCountSchema = z.number().int().nonnegative();
const usageSchema = z.object({
  usage: z
    .object({ prompt_tokens: tokenCountSchema, completion_tokens: tokenCountSchema })
    .transform((usage) => ({
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
    })),
});

export const chartAdviceSchema = adviceSchema.extend({
  chart_symbol: z.string().nullable(),
  chart_last_price: z.number().nullable(),
  chart_timeframe: z.string().nullable(),
});

/** Accepts `buy` for BUY, and a hold in words only. */
const repliedAdviceSchema = adviceSchema.extend({
  final_signal: z.string().trim().toUpperCase().pipe(signalKindSchema),
  hold_candles: adviceSchema.shape.hold_candles.catch(null),
});

/** Missing fields do not make the advice unusable. */
const { shape } = chartAdviceSchema;
const repliedChartSchema = z
  .object({
    chart_symbol: shape.chart_symbol.catch(null),
    chart_last_price: shape.chart_last_price.catch(null),
    chart_timeframe: shape.chart_timeframe.catch(null),
  })
  .transform(
    (read): ChartReading => ({
      symbol: read.chart_symbol,
      lastPrice: read.chart_last_price,
      timeframe: read.chart_timeframe,
    }),
  );

const FENCED = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/gi;

const MAX_REPLY_LENGTH = 50_000;

const NO_READING: ChartReading = { symbol: null, lastPrice: null, timeframe: null };

export const tokensOf = (completion: unknown) => usageSchema.safeParse(completion).data?.usage;

/**
 * @throws ModelRefusalError when the model declines; ProviderError `nonsense` for anything but advice or a cut-off
 * reply
 */
export function parseReply(completion: unknown) {
  const parsed = completionSchema.safeParse(completion);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || !choice) throw nonsense("the answer is no chat completion", parsed.error);
  const { message, finish_reason } = choice;
  if (message.refusal || finish_reason === "content_filter") {
    throw new ModelRefusalError({ provider: "openai" });
  }
  const isCutOff = finish_reason === "length";
  const rawReply = (message.content ?? "").slice(0, isCutOff ? MAX_REPLY_LENGTH : undefined);
  const read = isCutOff ? { advice: NO_ADVICE, chart: NO_READING } : readAdvice(rawReply);
  return { ...read, model: parsed.data.model, rawReply, isCutOff };
}

/**
 * Reads a JSON object, alone or in the only code fence of the text.
 * @throws ProviderError `nonsense` for anything else
 */
export function readAdvice(rawReply: string): { advice: Advice; chart: ChartReading } {
  if (rawReply.length > MAX_REPLY_LENGTH) throw nonsense("the answer is far too long");
  const json = parseJson(unfenced(rawReply));
  const advice = repliedAdviceSchema.safeParse(json);
  if (!advice.success) throw nonsense("the answer does not follow the schema", advice.error);
  return { advice: advice.data, chart: repliedChartSchema.parse(json) };
}

function unfenced(reply: string): string {
  const fences = [...reply.matchAll(FENCED)];
  return fences.length === 1 ? (fences[0]?.[1] ?? "") : reply.trim();
}

function parseJson(text: string): unknown {
  if (text === "") throw nonsense("the answer is empty");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw nonsense("the answer is not valid JSON", error);
  }
}

function nonsense(message: string, cause?: unknown): ProviderError {
  return new ProviderError({ provider: "openai", failure: "nonsense", message, cause });
}
