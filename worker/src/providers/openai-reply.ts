import { z } from "zod";
import { type Advice, adviceSchema } from "../signals/advice.ts";
import type { TokenUsage } from "../signals/analyst.ts";
import { ProviderError } from "./provider-error.ts";

/** As much of a chat completion as we read; compatible servers leave out the rest at times. */
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
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

const FENCED = /^```(?:json)?\s*\n?([\s\S]*?)\n?```$/i;

/** What a completion says, once it has proved usable. */
export interface ParsedReply {
  advice: Advice;
  model: string | undefined;
  rawReply: string;
  usage: TokenUsage | undefined;
}

/**
 * Reads the advice out of a chat completion as it came over the wire.
 * @throws ProviderError `refused` when the model declines, `nonsense` for anything that is not
 * whole, valid advice
 */
export function parseReply(completion: unknown): ParsedReply {
  const parsed = completionSchema.safeParse(completion);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || !choice) throw nonsense("the answer is no chat completion", parsed.error);
  const { message, finish_reason } = choice;
  if (message.refusal || finish_reason === "content_filter") {
    throw new ProviderError({
      provider: "openai",
      failure: "refused",
      message: "the model declined to answer",
    });
  }
  if (finish_reason === "length") throw nonsense("the answer was cut off");
  const rawReply = message.content ?? "";
  const { usage } = parsed.data;
  return {
    advice: parseAdvice(rawReply),
    model: parsed.data.model,
    rawReply,
    usage: usage
      ? { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }
      : undefined,
  };
}

function parseAdvice(rawReply: string): Advice {
  const text = rawReply.trim();
  const json = parseJson(FENCED.exec(text)?.[1] ?? text);
  const advice = adviceSchema.safeParse(json);
  if (!advice.success) throw nonsense("the answer does not follow the schema", advice.error);
  return advice.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw nonsense("the answer is not valid JSON", error);
  }
}

function nonsense(message: string, cause?: unknown): ProviderError {
  return new ProviderError({ provider: "openai", failure: "nonsense", message, cause });
}
