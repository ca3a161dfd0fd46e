import type { Logger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { ProviderError } from "../../market-data/market-data.ts";
import { createChatClient, type ServerAccess } from "./chat-client.ts";
import { neededTokens } from "./context-length.ts";
import { type NamedModel, VENDOR_URL } from "./model-server-store.ts";

/** A model as its server lists it. */
export interface ListedModel {
  id: string;
  aliases: string[];
  /** Tokens of prompt and reply together; null if the server does not say. */
  contextTokens: number | null;
  /** `2026-12-31`; null without an announced shutdown. */
  shutdownOn: string | null;
  replacement: string | null;
}

const tokens = z.number().int().positive().optional().catch(undefined);
const text = z.string().min(1).optional().catch(undefined);

/** The first second of 2000: smaller numbers are no dates. */
const MIN_DATE_SECONDS = 946_684_800;
const MAX_DATE_SECONDS = 1e10;

/** A date in ISO 8601, or Unix time in seconds or milliseconds. */
const day = z
  .union([z.string(), z.number().min(MIN_DATE_SECONDS)])
  .transform((value) => {
    const isSeconds = typeof value === "number" && value < MAX_DATE_SECONDS;
    return new Date(isSeconds ? value * 1_000 : value);
  })
  .refine((date) => Number.isFinite(date.getTime()))
  .transform((date) => date.toISOString().slice(0, 10))
  .optional()
  .catch(undefined);

const modelSchema = z
  .object({
    id: z.string(),
    aliases: z.array(z.string()).catch([]),
    max_model_len: tokens,
    loaded_context_length: tokens,
    context_length: tokens,
    context_window: tokens,
    max_context_length: tokens,
    max_input_tokens: tokens,
    meta: z.object({ n_ctx: tokens, n_ctx_train: tokens }).optional().catch(undefined),
    shutdown_date: day,
    retirement_date: day,
    expiration_date: day,
    deprecation_date: day,
    deprecation: z.union([z.object({ inference: day }), day]).catch(undefined),
    deprecation_replacement_model: text,
  })
  .transform((stated): ListedModel => {
    const { id, aliases, meta, deprecation } = stated;
    const lengths = [
      stated.max_model_len,
      stated.loaded_context_length,
      stated.context_length,
      stated.context_window,
      stated.max_context_length,
      stated.max_input_tokens,
      meta?.n_ctx ?? meta?.n_ctx_train,
    ];
    const dates = [
      stated.shutdown_date,
      stated.retirement_date,
      stated.expiration_date,
      stated.deprecation_date,
      typeof deprecation === "object" ? deprecation.inference : deprecation,
    ];
    return {
      id,
      aliases,
      contextTokens: lengths.find((length) => length !== undefined) ?? null,
      shutdownOn: dates.find((date) => date !== undefined) ?? null,
      replacement: stated.deprecation_replacement_model ?? null,
    };
  });

const listSchema = z.object({
  data: z.array(z.unknown()),
  has_more: z.boolean().nullish().catch(null),
});

interface ModelList {
  models: ListedModel[];
  /** There are more pages, which nothing needs. */
  isPart: boolean;
}

const LIST_TIMEOUT_MS = 10_000;

/** The models of a server; null if it has no such call. @throws ProviderError without a response */
export async function fetchModels(
  access: ServerAccess,
  abort: AbortSignal,
): Promise<ModelList | null> {
  const reply = await createChatClient(access).models({ abort, timeoutMs: LIST_TIMEOUT_MS });
  if (reply.kind === "rejection") return null;
  const list = listSchema.safeParse(reply.body).data;
  if (!list) return null;
  const models = list.data.flatMap((row) => modelSchema.safeParse(row).data ?? []);
  return { models, isPart: list.has_more === true };
}

/** Shutdowns that the vendor announces on its page only, by the names of the models without their dates. */
const ANNOUNCED_SHUTDOWNS: Readonly<Record<string, { on: string; replacement: string }>> = {
  "gpt-5-mini": { on: "2026-12-11", replacement: "gpt-6.1-terra" },
};

const DATED_VERSION = /-\d{4}-\d{2}-\d{2}$/;

interface CheckedModel {
  settings: Pick<WorkerSettings, "OPENAI_BASE_URL" | "OPENAI_MODEL" | "OPENAI_MAX_OUTPUT_TOKENS">;
  /** Null if the server has no such call. */
  list: ModelList | null;
  /** `2026-12-31`. */
  today: string;
}

interface ListingOptions {
  today: string;
  abort: AbortSignal;
  logger?: Logger;
}

/** Asks the server for its models, and says what an operator has to know. A server that does not answer lists none. */
export async function readModelNotices(
  settings: CheckedModel["settings"] & ServerAccess,
  { today, abort, logger }: ListingOptions,
): Promise<string[]> {
  const list = await fetchModels(settings, abort).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    logger?.info({ reason: error.message }, "the model server lists no models");
    return null;
  });
  return modelNotices({ settings, list, today });
}

/** What an operator has to know of the configured model, one sentence each. */
export function modelNotices({ settings, list, today }: CheckedModel): string[] {
  const { OPENAI_BASE_URL: baseUrl = VENDOR_URL, OPENAI_MODEL: model } = settings;
  const listed = list?.models.find((one) => isNamed(one, model));
  const isUnknown = list && list.models.length > 0 && !list.isPart && !listed && !isAzure(baseUrl);
  return [
    ...(isUnknown ? [`The server does not list OPENAI_MODEL=${model}. Check the name.`] : []),
    ...shutdownNotices(shutdownOf(listed, { baseUrl, model }), model, today),
    ...contextNotices(listed, settings),
  ];
}

/** Ollama leaves out `:latest`, Gemini `models/`, OpenRouter lists no variants (`:online`), gateways list `openai/*`. */
function isNamed({ id, aliases }: ListedModel, model: string): boolean {
  const plain = (name: string) => name.replace(/^models\//, "");
  const [family = ""] = plain(model).split(":");
  return [id, ...aliases].map(plain).some((name) => {
    if (name.endsWith("*")) return model.startsWith(name.slice(0, -1));
    return [plain(model), family, `${plain(model)}:latest`].includes(name);
  });
}

/** Azure lists models, and is asked for deployments. */
const isAzure = (baseUrl: string): boolean => new URL(baseUrl).hostname.endsWith(".azure.com");

interface Shutdown {
  on: string;
  replacement: string | null;
}

function shutdownOf(
  listed: ListedModel | undefined,
  { baseUrl, model }: NamedModel,
): Shutdown | null {
  if (listed?.shutdownOn) return { on: listed.shutdownOn, replacement: listed.replacement };
  const isVendor = new URL(baseUrl).hostname === new URL(VENDOR_URL).hostname;
  return (isVendor && ANNOUNCED_SHUTDOWNS[model.replace(DATED_VERSION, "")]) || null;
}

function shutdownNotices(shutdown: Shutdown | null, model: string, today: string): string[] {
  if (!shutdown) return [];
  const { on, replacement } = shutdown;
  const ends = on > today ? "will be shut down" : "was to be shut down";
  const advice = replacement
    ? `Set OPENAI_MODEL=${replacement}, which the provider names as its replacement.`
    : "Set OPENAI_MODEL to another model before that.";
  return [`OPENAI_MODEL=${model} ${ends} on ${on}. ${advice}`];
}

function contextNotices(
  listed: ListedModel | undefined,
  { OPENAI_MODEL: model, OPENAI_MAX_OUTPUT_TOKENS: maxOutputTokens }: CheckedModel["settings"],
): string[] {
  const { contextTokens = null } = listed ?? {};
  const needed = neededTokens(maxOutputTokens);
  if (contextTokens === null || contextTokens >= needed) return [];
  return [
    `The context of OPENAI_MODEL=${model} is ${contextTokens} tokens long, and a prompt with its reply needs about ${needed}. ` +
      "Raise it at the server, or lower OPENAI_MAX_OUTPUT_TOKENS.",
  ];
}
