import type { Logger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
import type { Analyst } from "./analyst.ts";
import type { TokenPrice } from "./openai/find-completion.ts";
import type { ModelServerStore } from "./openai/model-server-store.ts";
import { createOpenAiAnalyst } from "./openai/openai-analyst.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";

const IMAGE_CALL_TIMEOUT_MS = 100_000;
const MS_PER_SECOND = 1_000;

type AnalystSettings = Pick<
  WorkerSettings,
  | "OPENAI_API_KEY"
  | "OPENAI_BASE_URL"
  | "OPENAI_MODEL"
  | "OPENAI_RESPONSE_FORMAT"
  | "OPENAI_REASONING_EFFORT"
  | "OPENAI_TIMEOUT_S"
  | "OPENAI_MAX_OUTPUT_TOKENS"
  | "OPENAI_SAMPLES"
  | "OPENAI_PRICE_PROMPT"
  | "OPENAI_PRICE_COMPLETION"
>;

export interface KnownServer {
  /** What is known of the model's server. */
  server?: ModelServerStore;
  logger?: Logger;
}

/**
 * The language model if an API key is set, else the built-in rules.
 * @param known without a server, the analyst keeps what it learns for itself
 */
export function createAnalyst(settings: AnalystSettings, known: KnownServer = {}): Analyst {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: model } = settings;
  if (!apiKey) return rulesAnalyst;
  const callTimeoutMs = settings.OPENAI_TIMEOUT_S * MS_PER_SECOND;
  return createOpenAiAnalyst({
    apiKey,
    baseUrl,
    model,
    responseFormat: settings.OPENAI_RESPONSE_FORMAT,
    reasoningEffort: settings.OPENAI_REASONING_EFFORT,
    callTimeoutMs,
    imageCallTimeoutMs: Math.max(callTimeoutMs, IMAGE_CALL_TIMEOUT_MS),
    maxOutputTokens: settings.OPENAI_MAX_OUTPUT_TOKENS,
    samples: settings.OPENAI_SAMPLES,
    price: priceOf(settings),
    ...known,
  });
}

/** Prices differ between services, so they are never guessed. */
function priceOf(settings: AnalystSettings): TokenPrice | null {
  const { OPENAI_PRICE_PROMPT: promptUsd, OPENAI_PRICE_COMPLETION: completionUsd } = settings;
  if (promptUsd === undefined || completionUsd === undefined) return null;
  return { promptUsd, completionUsd };
}
