import type { Logger } from "@shared/runtime/logger.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type ChartReply,
  NO_ADVICE,
  SettingsFaultError,
  UnreadableReplyError,
} from "../analyst.ts";
import { ModelRefusalError } from "../model-refusal.ts";
import { CHART_PROVENANCE, chartQuestion } from "./chart-prompt.ts";
import { createChatClient } from "./chat-client.ts";
import { MAX_REPLY_LENGTH } from "./find-answer.ts";
import { type Call, type CompletionOptions, findCompletion } from "./find-completion.ts";
import { type ModelServerStore, memoryModelServer } from "./model-server-store.ts";
import { adviceQuestion, PROMPT_VERSION, promptProvenance } from "./prompt.ts";
import { readChart } from "./read-chart.ts";
import type { Completion } from "./read-completion.ts";
import { readAdvice } from "./read-reply.ts";

export interface OpenAiOptions extends Omit<CompletionOptions, "client" | "server"> {
  apiKey: string;
  baseUrl?: string | undefined;
  /** What is known of the server; kept in this process by default. */
  server?: ModelServerStore;
  callTimeoutMs: number;
  /** Of each call of an analysis with a chart image; as without one by default. */
  imageCallTimeoutMs?: number;
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
 * Asks the model once per request, and once more for a chart image. A call whose parameters the server rejects is repeated
 * without them, and what was learned is kept; other retries are up to the caller.
 */
export function createOpenAiAnalyst(options: OpenAiOptions): Analyst {
  const client = createChatClient(options);
  const server = options.server ?? memoryModelServer();
  const faults = new FaultLog(server, options.logger);
  const { samples = 1, callTimeoutMs, imageCallTimeoutMs = callTimeoutMs } = options;
  const complete = async (call: Call): Promise<Completion> => {
    try {
      const found = await findCompletion({ ...options, client, server }, call);
      const { completion, cutPrompt } = found;
      await (cutPrompt === null ? faults.clear() : faults.report(cutPrompt));
      if (completion.end === "declined") throw new ModelRefusalError("openai");
      return completion;
    } catch (error) {
      if (error instanceof SettingsFaultError) await faults.report(error.message, error);
      throw error;
    }
  };
  return {
    name: "openai",
    version: versionOf(samples),
    samples,
    async advise(request) {
      const { abort, onUsage, chart } = request;
      const timeoutMs = chart ? imageCallTimeoutMs : callTimeoutMs;
      const question = adviceQuestion(request);
      return toAdvice(await complete({ question, timeoutMs, abort, onUsage }), options, request);
    },
    async readChart({ chartImage, ...request }) {
      const question = chartQuestion(chartImage);
      return toChart(
        await complete({ question, timeoutMs: imageCallTimeoutMs, ...request }),
        options,
      );
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

function toAdvice(
  completion: Completion,
  options: OpenAiOptions,
  request: AdviceRequest,
): AdviceReply {
  const prompt = promptProvenance(request);
  const said = { ...saidIn(completion, options), prompt };
  if (completion.end === "cut-off") {
    return {
      ...said,
      advice: NO_ADVICE,
      cutOff: cutOffReason(completion, options.maxOutputTokens),
    };
  }
  try {
    return { ...said, advice: readAdvice(said.rawReply) };
  } catch (error) {
    const { model } = options;
    throw error instanceof UnreadableReplyError ? error.of({ model, prompt }) : error;
  }
}

function toChart(completion: Completion, options: OpenAiOptions): ChartReply {
  const said = { ...saidIn(completion, options), prompt: CHART_PROVENANCE };
  return { ...said, reading: completion.end === "cut-off" ? null : readChart(said.rawReply) };
}

function saidIn({ end, text, model: servedModel }: Completion, { model }: OpenAiOptions) {
  const rawReply = text.slice(0, end === "cut-off" ? MAX_REPLY_LENGTH : undefined);
  return { model, rawReply, ...(servedModel !== undefined && { servedModel }) };
}

const cutOffReason = ({ isOnlyReasoning }: Completion, maxOutputTokens: number): string =>
  isOnlyReasoning
    ? `Reasoning alone used up the limit of ${maxOutputTokens} tokens (OPENAI_MAX_OUTPUT_TOKENS); there was no answer.`
    : `The answer was cut off at ${maxOutputTokens} tokens; it must be shorter.`;
