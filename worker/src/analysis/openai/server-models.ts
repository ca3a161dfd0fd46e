import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { ProviderError } from "../../market-data/market-data.ts";
import { createChatClient, type ServerAccess } from "./chat-client.ts";
import { systemText } from "./prompt.ts";

/** A model as its server lists it. */
export interface ListedModel {
  id: string;
  /** Tokens of prompt and reply together; null if the server does not say. */
  contextTokens: number | null;
}

const tokens = z.number().int().positive().optional().catch(undefined);
const listSchema = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        max_model_len: tokens,
        loaded_context_length: tokens,
        context_length: tokens,
        context_window: tokens,
        max_context_length: tokens,
        max_input_tokens: tokens,
        meta: z.object({ n_ctx: tokens, n_ctx_train: tokens }).optional().catch(undefined),
      })
      .transform(({ id, meta, ...stated }): ListedModel => {
        const lengths = [...Object.values(stated), meta?.n_ctx ?? meta?.n_ctx_train];
        return { id, contextTokens: lengths.find((length) => length !== undefined) ?? null };
      }),
  ),
});

const LIST_TIMEOUT_MS = 10_000;

/** The models of a server; null if it has no such call. @throws ProviderError without a response */
export async function fetchModels(
  access: ServerAccess,
  abort: AbortSignal,
): Promise<ListedModel[] | null> {
  const reply = await createChatClient(access).models({ abort, timeoutMs: LIST_TIMEOUT_MS });
  if (reply.kind === "rejection") return null;
  return listSchema.safeParse(reply.body).data?.data ?? null;
}

/** Fewer than a usual tokenizer needs for English, and for the digits of candles. */
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_CANDLE = 35;
const TOKENS_OF_INDICATORS = 600;

/** About what a request with the usual number of candles and its reply need. */
export const neededTokens = (maxOutputTokens: number): number =>
  Math.ceil(systemText(undefined).length / CHARACTERS_PER_TOKEN) +
  TOKENS_OF_INDICATORS +
  SIGNAL_DEFAULTS.limit * TOKENS_PER_CANDLE +
  maxOutputTokens;

type ModelSettings = Pick<
  WorkerSettings,
  "OPENAI_API_KEY" | "OPENAI_BASE_URL" | "OPENAI_MODEL" | "OPENAI_MAX_OUTPUT_TOKENS"
>;

/** Warns once if the model's context is too short: some servers cut the prompt without a word. Never rejects. */
export async function warnOfShortContext(
  settings: ModelSettings,
  { logger, abort }: { logger: Logger; abort: AbortSignal },
): Promise<void> {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: model } = settings;
  if (!apiKey) return;
  try {
    const models = await fetchModels({ apiKey, baseUrl }, abort);
    const { contextTokens = null } = models?.find(({ id }) => id === model) ?? {};
    const needed = neededTokens(settings.OPENAI_MAX_OUTPUT_TOKENS);
    if (contextTokens === null || contextTokens >= needed) return;
    logger.warn(
      { contextTokens, neededTokens: needed },
      `the context of OPENAI_MODEL=${model} is ${contextTokens} tokens long, and a prompt with its reply needs about ${needed}: raise it at the server, or lower OPENAI_MAX_OUTPUT_TOKENS`,
    );
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    logger.info({ reason: error.message }, "the model server lists no models");
  }
}
