import type { Logger } from "@shared/runtime/logger.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  NO_ADVICE,
  SettingsFaultError,
  UnreadableReplyError,
} from "../analyst.ts";
import { ModelRefusalError } from "../model-refusal.ts";
import { createChatClient } from "./chat-client.ts";
import { type CompletionOptions, findCompletion } from "./find-completion.ts";
import { type ModelServerStore, memoryModelServer } from "./model-server-store.ts";
import { PROMPT_VERSION, promptProvenance } from "./prompt.ts";
import type { Completion } from "./read-completion.ts";
import { MAX_REPLY_LENGTH, readAdvice } from "./read-reply.ts";

export interface OpenAiOptions extends Omit<CompletionOptions, "client" | "server"> {
  apiKey: string;
  baseUrl?: string | undefined;
  /** What is known of the server; kept in this process by default. */
  server?: ModelServerStore;
  /** How often the model is asked for one analysis; once by default. */
  samples?: number;
}

export const OPENAI_ANALYST_VERSION = `openai/${PROMPT_VERSION}`;

/** Several samples have a record of their own. */
const versionOf = (samples: number): string =>
  samples === 1 ? OPENAI_ANALYST_VERSION : `${OPENAI_ANALYST_VERSION}x${samples}`;

/** Whether an analyst of that version sent the prompts of this one. */
export const hasSamePrompt = (version: string): boolean =>
  version === OPENAI_ANALYST_VERSION || version.startsWith(`${OPENAI_ANALYST_VERSION}x`);

/**
 * Asks the model once per request. A call whose parameters the server rejects is repeated without them, and what was learned
 * is kept; other retries are up to the caller.
 */
export function createOpenAiAnalyst(options: OpenAiOptions): Analyst {
  const client = createChatClient(options);
  const server = options.server ?? memoryModelServer();
  const faults = new FaultLog(server, options.logger);
  const { samples = 1 } = options;
  return {
    name: "openai",
    version: versionOf(samples),
    samples,
    async advise(request) {
      try {
        const found = await findCompletion({ ...options, client, server }, request);
        const { completion, cutPrompt } = found;
        await (cutPrompt === null ? faults.clear() : faults.report(cutPrompt));
        return toReply(completion, options, request);
      } catch (error) {
        if (error instanceof SettingsFaultError) await faults.report(error.message, error);
        throw error;
      }
    },
  };
}

/** Logs each fault of the settings once, not with every signal. */
class FaultLog {
  readonly #server: ModelServerStore;
  readonly #logger: Logger | undefined;
  #last: string | null = null;
  #isCleared = false;

  constructor(server: ModelServerStore, logger: Logger | undefined) {
    this.#server = server;
    this.#logger = logger;
  }

  /** @param error if signals fail */
  async report(message: string, error?: SettingsFaultError): Promise<void> {
    if (message === this.#last) return;
    this.#last = message;
    if (error) this.#logger?.error({ err: error }, `signals fail: ${message}`);
    else this.#logger?.error(message);
    await this.#server.saveFault(message);
  }

  /** One that another worker reported is cleared by the first answer of this one. */
  async clear(): Promise<void> {
    if (this.#last === null && this.#isCleared) return;
    this.#last = null;
    this.#isCleared = true;
    await this.#server.saveFault(null);
  }
}

function toReply(
  completion: Completion,
  options: OpenAiOptions,
  request: AdviceRequest,
): AdviceReply {
  if (completion.end === "declined") throw new ModelRefusalError("openai");
  const isCutOff = completion.end === "cut-off";
  const prompt = promptProvenance(request);
  const { model } = options;
  const rawReply = completion.text.slice(0, isCutOff ? MAX_REPLY_LENGTH : undefined);
  const servedModel = completion.model;
  const said = { model, prompt, rawReply, ...(servedModel !== undefined && { servedModel }) };
  if (isCutOff) {
    const cutOff = cutOffReason(completion, options.maxOutputTokens);
    return { ...said, advice: NO_ADVICE, cutOff, ...(request.chartImage && { chart: NO_READING }) };
  }
  try {
    const { advice, chart } = readAdvice(rawReply);
    return { ...said, advice, ...(request.chartImage !== undefined && { chart }) };
  } catch (error) {
    throw error instanceof UnreadableReplyError ? error.of({ model, prompt }) : error;
  }
}

const NO_READING = { symbol: null, lastPrice: null, timeframe: null };

const cutOffReason = ({ isOnlyReasoning }: Completion, maxOutputTokens: number): string =>
  isOnlyReasoning
    ? `Reasoning alone used up the limit of ${maxOutputTokens} tokens (OPENAI_MAX_OUTPUT_TOKENS); there was no answer.`
    : `The answer was cut off at ${maxOutputTokens} tokens; it must be shorter.`;
