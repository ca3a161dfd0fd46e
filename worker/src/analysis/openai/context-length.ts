import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import { SYSTEM_TEXT } from "./prompt.ts";

/** Fewer than a usual tokenizer needs for English, and for the digits of candles. */
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_CANDLE = 35;
const TOKENS_OF_INDICATORS = 600;

/** About what a request with the usual number of candles and its reply need. */
export const neededTokens = (maxOutputTokens: number): number =>
  Math.ceil(SYSTEM_TEXT.length / CHARACTERS_PER_TOKEN) +
  TOKENS_OF_INDICATORS +
  SIGNAL_DEFAULTS.limit * TOKENS_PER_CANDLE +
  maxOutputTokens;

/** No tokenizer in use has tokens of two words, or of more than three digits. */
const WORD_OR_DIGITS = /\p{L}+|\d{1,3}/gu;

/** A server that cut a prompt has read at least so many tokens. Fewer are not a count of the whole prompt. */
const MIN_CUT_TOKENS = 1_500;

/** Fewer than any tokenizer needs for the texts of a request. */
export function leastTokens({
  messages,
}: Pick<ChatCompletionCreateParamsNonStreaming, "messages">): number {
  const texts = messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.map((part) => (part.type === "text" ? part.text : ""))
      : (content ?? ""),
  );
  return texts.reduce((sum, text) => sum + (text.match(WORD_OR_DIGITS)?.length ?? 0), 0);
}

/**
 * What to do about a server that read only a part of the prompt, as Ollama does without an error; null if it read all.
 * @param readTokens tokens of the prompt as the server counted them
 */
export function cutPromptFault(
  readTokens: number,
  body: Pick<ChatCompletionCreateParamsNonStreaming, "messages">,
): string | null {
  const least = leastTokens(body);
  if (readTokens < MIN_CUT_TOKENS || readTokens >= least) return null;
  return (
    `the server read only ${readTokens} tokens of a prompt that has more than ${least}, so signals are made from a part ` +
    "of it: raise the context length of OPENAI_MODEL at the server (Ollama: OLLAMA_CONTEXT_LENGTH)"
  );
}
