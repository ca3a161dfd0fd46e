import { rationaleSchema, rationaleText, signalKindSchema } from "@shared/contract/signal.ts";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { z } from "zod";
import { raceAbort, withDeadline } from "../../market-data/deadline.ts";
import { ModelRefusalError, ProviderError } from "../../market-data/market-data.ts";
import {
  type Advice,
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  adviceSchema,
  NO_ADVICE,
} from "../analyst.ts";
import type { ChartReading } from "../check-chart.ts";
import {
  briefText,
  CHART_PROMPT,
  correctionsText,
  costsText,
  PROMPT_VERSION,
  promptProvenance,
  SYSTEM_PROMPT,
} from "./prompt.ts";

export interface OpenAiOptions {
  apiKey: string;
  baseUrl?: string | undefined;
  model: string;
  callTimeoutMs: number;
  /** Includes the tokens of the model's reasoning. */
  maxOutputTokens: number;
  price: TokenPrice | null;
}

export const OPENAI_ANALYST_VERSION = `openai/${PROMPT_VERSION}`;

export const chartAdviceSchema = adviceSchema.extend({
  chart_symbol: z.string().nullable(),
  chart_last_price: z.number().nullable(),
  chart_timeframe: z.string().nullable(),
});

const ADVICE_FORMAT = zodResponseFormat(adviceSchema, "advice");
const CHART_ADVICE_FORMAT = zodResponseFormat(chartAdviceSchema, "advice");

/** Calls the model once per request; retries are up to the caller. */
export function createOpenAiAnalyst(options: OpenAiOptions): Analyst {
  const { apiKey, baseUrl, model, callTimeoutMs, maxOutputTokens, price } = options;
  const client = new OpenAI({
    apiKey,
    baseURL: baseUrl ?? null,
    maxRetries: 0,
    logLevel: "off",
    // Otherwise the service could have the request, with its chart image, sent to any address.
    fetchOptions: { redirect: "error" },
  });

  return {
    name: "openai",
    version: OPENAI_ANALYST_VERSION,
    // The client's own timeout ends with the headers; the deadline also covers a body that stalls.
    advise: (request) =>
      withDeadline({ abort: request.abort, timeoutMs: callTimeoutMs }, async (signal) => {
        try {
          const body = {
            model,
            max_completion_tokens: maxOutputTokens,
            messages: messages(request),
            response_format: formatOf(request),
          };
          const call = client.chat.completions.create(body, { signal, timeout: callTimeoutMs });
          const completion = await raceAbort(call, signal);
          // Before the reply is read: tokens are paid for in any case.
          const tokens = tokensOf(completion);
          if (tokens) request.onUsage?.({ model, ...tokens, costUsd: tokenCost(tokens, price) });
          return toReply(completion, options, request);
        } catch (error) {
          throw signal.aborted ? tooLate() : toAnalystError(error, apiKey);
        }
      }),
  };
}

function toReply(
  completion: unknown,
  { model, maxOutputTokens }: OpenAiOptions,
  request: AdviceRequest,
): AdviceReply {
  const reply = parseReply(completion);
  const cutOff = `The answer was cut off at ${maxOutputTokens} tokens; it must be shorter.`;
  return {
    advice: reply.advice,
    model: reply.model ?? model,
    prompt: promptProvenance(request),
    rawReply: reply.rawReply,
    ...(reply.isCutOff && { cutOff }),
    ...(request.chartImage !== undefined && { chart: reply.chart }),
  };
}

const formatOf = ({ chartImage }: AdviceRequest) =>
  chartImage ? CHART_ADVICE_FORMAT : ADVICE_FORMAT;

function messages(request: AdviceRequest): ChatCompletionMessageParam[] {
  const { brief, chartImage, corrections } = request;
  const content: ChatCompletionContentPart[] = [
    { type: "text", text: `${briefText(brief)}\n\n${costsText(request)}` },
  ];
  if (chartImage) {
    content.push(
      { type: "text", text: CHART_PROMPT },
      { type: "image_url", image_url: { url: chartImage } },
    );
  }
  return [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content },
    ...(corrections.length > 0
      ? [{ role: "user" as const, content: correctionsText(corrections) }]
      : []),
  ];
}

const tooLate = () =>
  new ProviderError({ provider: "openai", failure: "timeout", message: "no answer in time" });

type Meaning = Omit<ConstructorParameters<typeof ProviderError>[0], "provider" | "cause">;

const SETTINGS_FAULTS: Readonly<Record<number, string>> = {
  401: "the API key was not accepted (401): check OPENAI_API_KEY",
  403: "the API key may not use this model (403): check OPENAI_API_KEY and OPENAI_MODEL",
  404: "no such model or address (404): check OPENAI_MODEL and OPENAI_BASE_URL",
};

/** Sent as a 429, but not temporary. */
const QUOTA_CODE = "insufficient_quota";

const REFUSAL_CODES = ["content_filter", "content_policy_violation", "invalid_prompt"];

/** Servers may repeat the API key, so their message is kept only as a cause with the key removed. */
function toAnalystError(error: unknown, apiKey: string): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof OpenAI.APIError && REFUSAL_CODES.includes(error.code ?? "")) {
    return new ModelRefusalError({ provider: "openai", status: error.status });
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const cause = new Error(words.replaceAll(apiKey, "[secret]"));
  return new ProviderError({ provider: "openai", ...meaningOf(error), cause });
}

function meaningOf(error: unknown): Meaning {
  if (
    error instanceof OpenAI.APIConnectionTimeoutError ||
    error instanceof OpenAI.APIUserAbortError
  ) {
    return { failure: "timeout", message: "no answer in time" };
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return { failure: "unreachable", message: "no connection" };
  }
  if (error instanceof OpenAI.APIError) return rejectionOf(error);
  return { failure: "nonsense", message: "the answer could not be read" };
}

function rejectionOf({ status, headers, code }: InstanceType<typeof OpenAI.APIError>): Meaning {
  if (code === QUOTA_CODE) {
    const message = "the account has no quota left: check the plan behind OPENAI_API_KEY";
    return { failure: "rate-limited", retryable: false, status, message };
  }
  const settingsFault = SETTINGS_FAULTS[status ?? 0];
  if (settingsFault) {
    return { failure: "refused", retryable: false, status, message: settingsFault };
  }
  const retryAfterMs = readRetryAfter(headers);
  if (status === 429) {
    return { failure: "rate-limited", status, retryAfterMs, message: "too many requests" };
  }
  const retryable = status === undefined || status >= 500 || status === 408 || status === 409;
  const message = `the request was rejected with status ${status ?? "unknown"}`;
  return { failure: "refused", retryable, status, retryAfterMs, message };
}

/** Undefined for a date. */
function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return ms;
  const seconds = Number(headers?.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
}

/** US dollars per million tokens. */
export interface TokenPrice {
  promptUsd: number;
  completionUsd: number;
}

const TOKENS_PER_PRICE = 1_000_000;

const tokenCost = (
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  price: TokenPrice | null,
): number | null =>
  price &&
  (promptTokens * price.promptUsd + completionTokens * price.completionUsd) / TOKENS_PER_PRICE;

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

/** Accepts `buy` for BUY, a rationale by topic, and a hold in words only. */
const repliedAdviceSchema = adviceSchema.extend({
  rationale: rationaleSchema.transform(rationaleText),
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

const tokensOf = (completion: unknown) => usageSchema.safeParse(completion).data?.usage;

/**
 * @throws ModelRefusalError when the model declines; ProviderError `nonsense` for anything but advice or a cut-off
 * reply
 */
function parseReply(completion: unknown) {
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
