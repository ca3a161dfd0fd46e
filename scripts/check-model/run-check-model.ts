import { loadWorkerSettings, readDotEnv, type WorkerSettings } from "@shared/runtime/settings.ts";
import {
  configuredServer,
  type ModelServerStore,
  memoryModelServer,
  modelServerId,
} from "../../worker/src/analysis/openai/model-server-store.ts";
import { readModelNotices } from "../../worker/src/analysis/openai/server-models.ts";
import { createAnalyst } from "../../worker/src/analysis/select-analyst.ts";
import { testModel } from "../../worker/src/analysis/test-model.ts";
import type { Command } from "../lib/cli.ts";

/** Tests the model of the settings with one analysis of recorded candles; needs no database. */
export function main({ say, signal }: Command): Promise<number> {
  readDotEnv();
  return checkModel(loadWorkerSettings(), { say, abort: signal });
}

interface CheckOptions {
  say: (line: string) => void;
  abort: AbortSignal;
}

/** @returns the exit code: 0 only if the model's answer is usable */
export async function checkModel(
  settings: WorkerSettings,
  { say, abort }: CheckOptions,
): Promise<number> {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = settings;
  if (apiKey === undefined) {
    say("No model is configured: set OPENAI_API_KEY. Until then, fixed rules make the signals.");
    return 1;
  }
  const { address, model } = modelServerId(configuredServer(settings));
  say(`Server: ${address}`);
  say(`Model: ${model}`);
  const today = new Date().toISOString().slice(0, 10);
  const [notices, test] = await Promise.all([
    readModelNotices({ ...settings, apiKey, baseUrl }, { today, abort }),
    runTest(settings, abort),
  ]);
  say(`Learned: ${await describeTraits(test.server)}`);
  const { result, faults } = test;
  for (const line of [...notices, ...faults]) say(`Warning: ${line}`);
  for (const line of describeCost(result)) say(line);
  say(`${result.is_usable ? "Usable" : "Not usable"}: ${result.detail}`);
  return result.is_usable ? 0 : 1;
}

/** `faults` are those that do not stop signals: others are the result. */
async function runTest(settings: WorkerSettings, abort: AbortSignal) {
  const memory = memoryModelServer();
  const faults: string[] = [];
  const server: ModelServerStore = {
    ...memory,
    async saveFault(message) {
      if (message !== null) faults.push(message);
    },
  };
  const analyst = createAnalyst(settings, { server });
  const result = await testModel(analyst, { abort, now: () => performance.now() });
  return { result, faults: result.is_usable ? faults : [], server };
}

async function describeTraits(server: ModelServerStore): Promise<string> {
  const traits = await server.read();
  if (!traits) return "nothing, because the server gave no answer";
  const { responseFormat, tokenLimit, leftOut } = traits;
  const limit = tokenLimit === "none" ? "no token limit" : tokenLimit;
  return [responseFormat, limit, ...leftOut.map((name) => `without ${name}`)].join(", ");
}

type TestResult = Awaited<ReturnType<typeof testModel>>;

function describeCost({ prompt_tokens, completion_tokens, latency_ms, cost_usd }: TestResult) {
  const tokens =
    prompt_tokens === null || completion_tokens === null
      ? "not counted by the server"
      : `${prompt_tokens} in the prompt, ${completion_tokens} in the answers`;
  const cost =
    cost_usd === null
      ? "unknown: set OPENAI_PRICE_PROMPT and OPENAI_PRICE_COMPLETION"
      : `${cost_usd.toFixed(6)} USD`;
  return [`Tokens: ${tokens}`, `Latency: ${(latency_ms / 1_000).toFixed(1)} s`, `Cost: ${cost}`];
}
