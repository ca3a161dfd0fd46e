import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { adviceSchema } from "../signals/advice.ts";
import type { AdviceReply, AdviceRequest, Analyst } from "../signals/analyst.ts";
import { untilAborted } from "./abortable.ts";
import {
  ANALYST_PROMPT_VERSION,
  briefText,
  correctionsText,
  SYSTEM_PROMPT,
} from "./analyst-prompt.ts";
import { toAnalystError } from "./openai-errors.ts";
import { parseReply } from "./openai-reply.ts";
import { ProviderError } from "./provider-error.ts";

export interface OpenAiOptions {
  apiKey: string;
  /** Address of an OpenAI-compatible server; the vendor's if left out. */
  baseUrl?: string | undefined;
  model: string;
  /** Longest time for one call, its body included, in milliseconds. */
  callTimeoutMs: number;
}

const RESPONSE_FORMAT = zodResponseFormat(adviceSchema, "advice");

/** An analyst that asks a language model once per call; trying again is up to the caller. */
export function createOpenAiAnalyst(options: OpenAiOptions): Analyst {
  const { apiKey, baseUrl, model, callTimeoutMs } = options;
  const client = new OpenAI({ apiKey, baseURL: baseUrl ?? null, maxRetries: 0, logLevel: "off" });

  return {
    name: "openai",
    async advise(request: AdviceRequest): Promise<AdviceReply> {
      const brief = briefText(request.brief);
      // The client's own time-out ends with the headers; the signal also covers a body that stalls.
      const abort = AbortSignal.any([request.abort, AbortSignal.timeout(callTimeoutMs)]);
      try {
        const body = {
          model,
          messages: messages(request, brief),
          response_format: RESPONSE_FORMAT,
        };
        const call = client.chat.completions.create(body, {
          signal: abort,
          timeout: callTimeoutMs,
        });
        const reply = parseReply(await untilAborted(call, abort));
        return {
          advice: reply.advice,
          model: reply.model ?? model,
          prompt: receipt(request, brief),
          rawReply: reply.rawReply,
          ...(reply.usage && { usage: reply.usage }),
        };
      } catch (error) {
        throw abort.aborted ? tooLate() : toAnalystError(error, apiKey);
      }
    },
  };
}

function messages(request: AdviceRequest, brief: string): ChatCompletionMessageParam[] {
  const picture: ChatCompletionContentPart[] = request.chartImage
    ? [{ type: "image_url", image_url: { url: request.chartImage } }]
    : [];
  const corrections: ChatCompletionMessageParam[] =
    request.corrections.length > 0
      ? [{ role: "user", content: correctionsText(request.corrections) }]
      : [];
  return [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content: [{ type: "text", text: brief }, ...picture] },
    ...corrections,
  ];
}

/** What was asked, for the signal's receipt: without the picture, which is kept elsewhere. */
function receipt(request: AdviceRequest, brief: string): string {
  return [
    `Prompt version: ${ANALYST_PROMPT_VERSION}`,
    SYSTEM_PROMPT,
    brief,
    ...(request.chartImage ? ["[the trader's chart picture]"] : []),
    ...(request.corrections.length > 0 ? [correctionsText(request.corrections)] : []),
  ].join("\n\n");
}

function tooLate(): ProviderError {
  return new ProviderError({
    provider: "openai",
    failure: "timeout",
    message: "no answer in time",
  });
}
