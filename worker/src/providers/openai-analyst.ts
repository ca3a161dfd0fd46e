import { startDeadline } from "@shared/node/deadline.ts";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { adviceSchema } from "../signals/advice.ts";
import type { AdviceReply, AdviceRequest, Analyst } from "../signals/analyst.ts";
import { untilAborted } from "./abortable.ts";
import { toAnalystError } from "./openai-errors.ts";
import { briefText, correctionsText, costsText, promptReceipt } from "./openai-prompt.ts";
import { chartAdviceSchema, parseReply, tokensOf } from "./openai-reply.ts";
import { CHART_PROMPT, PROMPT_VERSION, SYSTEM_PROMPT } from "./openai-system-prompt.ts";
import { type TokenPrice, tokenCost } from "./openai-token-price.ts";
import { ProviderError } from "./provider-error.ts";

export interface OpenAiOptions {
  apiKey: string;
  /** Address of an OpenAI-compatible server; the vendor's if left out. */
  baseUrl?: string | undefined;
  model: string;
  /** Longest time for one call, its body included, in milliseconds. */
  callTimeoutMs: number;
  /** Limit for one reply, in tokens, including those of the model's reasoning. */
  maxOutputTokens: number;
  /** What the model charges; null where nobody told. */
  price: TokenPrice | null;
}

/** Goes into every signal beside the model: what the model is asked decides as much as which one it is. */
export const OPENAI_ANALYST_VERSION = `openai/${PROMPT_VERSION}`;

const ADVICE_FORMAT = zodResponseFormat(adviceSchema, "advice");
const CHART_ADVICE_FORMAT = zodResponseFormat(chartAdviceSchema, "advice");

/** An analyst that asks a language model once per call; trying again is up to the caller. */
export function createOpenAiAnalyst(options: OpenAiOptions): Analyst {
  const { apiKey, baseUrl, model, callTimeoutMs, maxOutputTokens, price } = options;
  const client = new OpenAI({ apiKey, baseURL: baseUrl ?? null, maxRetries: 0, logLevel: "off" });

  return {
    name: "openai",
    version: OPENAI_ANALYST_VERSION,
    async advise(request: AdviceRequest): Promise<AdviceReply> {
      // The client's own time-out ends with the headers; the deadline also covers a body that stalls.
      const { signal, clear } = startDeadline(request.abort, callTimeoutMs);
      try {
        const body = {
          model,
          max_completion_tokens: maxOutputTokens,
          messages: messages(request),
          response_format: request.chartImage ? CHART_ADVICE_FORMAT : ADVICE_FORMAT,
        };
        const call = client.chat.completions.create(body, { signal, timeout: callTimeoutMs });
        const completion = await untilAborted(call, signal);
        reportUsage(completion, { model, price, request });
        return toReply(completion, { model, maxOutputTokens, request });
      } catch (error) {
        throw signal.aborted ? tooLate() : toAnalystError(error, apiKey);
      } finally {
        clear();
      }
    },
  };
}

function toReply(
  completion: unknown,
  {
    model,
    maxOutputTokens,
    request,
  }: Pick<OpenAiOptions, "model" | "maxOutputTokens"> & { request: AdviceRequest },
): AdviceReply {
  const reply = parseReply(completion);
  return {
    advice: reply.advice,
    model: reply.model ?? model,
    prompt: promptReceipt(request),
    rawReply: reply.rawReply,
    ...(reply.isCutOff && { cutOff: cutOffText(maxOutputTokens) }),
    ...(request.chartImage !== undefined && { chart: reply.chart }),
  };
}

const cutOffText = (maxTokens: number): string =>
  `The answer was cut off at ${maxTokens} tokens; it must be shorter.`;

/** Before the reply is read: tokens are paid for whatever it says. */
function reportUsage(
  completion: unknown,
  { model, price, request }: { model: string; price: TokenPrice | null; request: AdviceRequest },
): void {
  const tokens = tokensOf(completion);
  if (tokens) request.onUsage?.({ model, ...tokens, costUsd: price && tokenCost(tokens, price) });
}

function messages(request: AdviceRequest): ChatCompletionMessageParam[] {
  const picture: ChatCompletionContentPart[] = request.chartImage
    ? [
        { type: "text", text: CHART_PROMPT },
        { type: "image_url", image_url: { url: request.chartImage } },
      ]
    : [];
  const corrections: ChatCompletionMessageParam[] =
    request.corrections.length > 0
      ? [{ role: "user", content: correctionsText(request.corrections) }]
      : [];
  const text = `${briefText(request.brief)}\n\n${costsText(request)}`;
  return [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content: [{ type: "text", text }, ...picture] },
    ...corrections,
  ];
}

function tooLate(): ProviderError {
  return new ProviderError({
    provider: "openai",
    failure: "timeout",
    message: "no answer in time",
  });
}
