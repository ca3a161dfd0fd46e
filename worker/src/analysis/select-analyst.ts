import type { Settings } from "@shared/runtime/settings.ts";
import type { Analyst } from "./analyst.ts";
import { createOpenAiAnalyst, type TokenPrice } from "./openai/openai-analyst.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";

const CALL_TIMEOUT_MS = 45_000;

type AnalystSettings = Pick<
  Settings,
  | "OPENAI_API_KEY"
  | "OPENAI_BASE_URL"
  | "OPENAI_MODEL"
  | "OPENAI_MAX_OUTPUT_TOKENS"
  | "OPENAI_PRICE_PROMPT"
  | "OPENAI_PRICE_COMPLETION"
>;

/** The language model if an API key is set, else the built-in rules. */
export function createAnalyst(settings: AnalystSettings): Analyst {
  if (!settings.OPENAI_API_KEY) return rulesAnalyst;
  return createOpenAiAnalyst({
    apiKey: settings.OPENAI_API_KEY,
    baseUrl: settings.OPENAI_BASE_URL,
    model: settings.OPENAI_MODEL,
    callTimeoutMs: CALL_TIMEOUT_MS,
    maxOutputTokens: settings.OPENAI_MAX_OUTPUT_TOKENS,
    price: priceOf(settings),
  });
}

/** Prices differ between services, so they are never guessed. */
function priceOf(settings: AnalystSettings): TokenPrice | null {
  const { OPENAI_PRICE_PROMPT: promptUsd, OPENAI_PRICE_COMPLETION: completionUsd } = settings;
  if (promptUsd === undefined || completionUsd === undefined) return null;
  return { promptUsd, completionUsd };
}
