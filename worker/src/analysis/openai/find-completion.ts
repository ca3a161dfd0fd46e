import type { ModelServerTraits } from "@shared/database/models/model-server.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { ProviderError } from "../../market-data/market-data.ts";
import { type AdviceRequest, SettingsFaultError } from "../analyst.ts";
import type { ChatClient, ServerReply } from "./chat-client.ts";
import { type ChatSettings, chatBody, type Question, sentParameters } from "./chat-request.ts";
import { cutPromptFault } from "./context-length.ts";
import type { ModelServerStore } from "./model-server-store.ts";
import {
  type Completion,
  readCompletion,
  readTokens,
  type TokenCounts,
} from "./read-completion.ts";
import { type Rejection, readRejection, serverFault, statusInBody } from "./read-rejection.ts";
import { DEFAULT_TRAITS, type ParameterRejection, TraitsSearch } from "./server-traits.ts";

export interface CompletionOptions extends ChatSettings {
  client: ChatClient;
  server: ModelServerStore;
  price: TokenPrice | null;
  logger?: Logger;
}

export interface Call extends Pick<AdviceRequest, "abort" | "onUsage"> {
  question: Question;
  timeoutMs: number;
}

interface FoundCompletion {
  completion: Completion;
  /** What to do about a server that read only a part of the prompt; null if it read all, or does not say. */
  cutPrompt: string | null;
}

/**
 * Calls the model once. A call whose parameters the server rejects is repeated without them, and what was learned is kept.
 * @throws ProviderError without a completion
 */
export async function findCompletion(
  options: CompletionOptions,
  call: Call,
): Promise<FoundCompletion> {
  const known = await options.server.read();
  const search = startSearch(options, known);
  for (;;) {
    const { traits } = search;
    const body = chatBody(call.question, options, traits);
    const answer = readAnswer(await options.client.complete(body, call), options, call);
    if (answer.kind === "completion") {
      if (!known || search.isChanged) await learn(options, traits);
      const cutPrompt = answer.tokens && cutPromptFault(answer.tokens.promptTokens, body);
      return { completion: answer.completion, cutPrompt };
    }
    const meaning = readRejection(answer.rejection, {
      hasImage: call.question.chartImage !== undefined,
      sent: sentParameters(options, traits),
      format: traits.responseFormat,
    });
    if (meaning instanceof ProviderError) throw meaning;
    if (!search.next(meaning)) throw lastingRejection(meaning, answer.rejection, options);
  }
}

function startSearch(
  { responseFormat = "auto" }: CompletionOptions,
  known: ModelServerTraits | null,
): TraitsSearch {
  const start = known ?? DEFAULT_TRAITS;
  return responseFormat === "auto"
    ? new TraitsSearch(start, { isFormatFixed: false })
    : new TraitsSearch({ ...start, responseFormat }, { isFormatFixed: true });
}

type Answer =
  | { kind: "completion"; completion: Completion; tokens: TokenCounts | null }
  | { kind: "rejection"; rejection: Rejection };

/** Counts the tokens before the reply is read: they are paid for in any case. */
function readAnswer(
  reply: ServerReply,
  { model, price }: CompletionOptions,
  { onUsage }: Call,
): Answer {
  if (reply.kind === "rejection") return reply;
  const { body, headers } = reply;
  const tokens = readTokens(body);
  if (tokens) onUsage?.({ model, ...tokens, costUsd: tokenCost(tokens, price) });
  const completion = readCompletion(body);
  if (completion) return { kind: "completion", completion, tokens };
  const rejection = { status: statusInBody(body), body: JSON.stringify(body), headers };
  return { kind: "rejection", rejection };
}

async function learn(
  { server, logger, reasoningEffort }: CompletionOptions,
  traits: ModelServerTraits,
): Promise<void> {
  await server.saveTraits(traits);
  logger?.info(traits, "learned what the model server accepts");
  if (reasoningEffort !== undefined && traits.leftOut.includes("reasoning_effort")) {
    logger?.warn("the model server does not accept OPENAI_REASONING_EFFORT, so it is left out");
  }
}

/** The server rejects what cannot be changed. */
function lastingRejection(
  { parameters }: ParameterRejection,
  rejection: Rejection,
  { responseFormat = "auto" }: CompletionOptions,
): ProviderError {
  const { status } = rejection;
  const cause = new Error(rejection.body.slice(0, MAX_CAUSE_LENGTH));
  if (responseFormat !== "auto" && parameters.includes("response_format")) {
    const message = `the server does not accept OPENAI_RESPONSE_FORMAT=${responseFormat} (${status})`;
    return new SettingsFaultError({ message, status, cause });
  }
  return serverFault(rejection);
}

const MAX_CAUSE_LENGTH = 2_000;

/** US dollars per million tokens. */
export interface TokenPrice {
  promptUsd: number;
  completionUsd: number;
}

const TOKENS_PER_PRICE = 1_000_000;

const tokenCost = (
  { promptTokens, completionTokens }: TokenCounts,
  price: TokenPrice | null,
): number | null =>
  price &&
  (promptTokens * price.promptUsd + completionTokens * price.completionUsd) / TOKENS_PER_PRICE;
