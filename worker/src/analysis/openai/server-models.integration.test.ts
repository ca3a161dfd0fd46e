import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { patient } from "../../testing/fakes.ts";
import { fetchModels, neededTokens, warnOfShortContext } from "./server-models.ts";

let openai: FakeOpenAi;
beforeAll(async () => {
  openai = await startFakeOpenAi();
});
afterAll(() => openai.close());
beforeEach(() => openai.reset());

const access = () => ({ apiKey: "sk-test", baseUrl: openai.baseUrl });

async function warnings(baseUrl = openai.baseUrl): Promise<string[]> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: "worker", level: "warn", destination });
  const settings = loadWorkerSettings({
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: baseUrl,
    OPENAI_MODEL: "local",
  });
  await warnOfShortContext(settings, { logger, abort: patient() });
  return lines;
}

it.each([
  ["vLLM", { max_model_len: 4_096 }],
  ["OpenRouter", { context_length: 4_096 }],
  ["Groq", { context_window: 4_096 }],
  ["Mistral", { max_context_length: 4_096 }],
  ["llama.cpp", { meta: { n_ctx: 4_096, n_ctx_train: 131_072 } }],
  ["LM Studio", { loaded_context_length: 4_096, max_context_length: 131_072 }],
])("the context of a model is read as %s states it", async (_, stated) => {
  openai.listModels({ data: [{ id: "other" }, { id: "local", ...stated }] });
  expect(await fetchModels(access(), patient())).toEqual([
    { id: "other", contextTokens: null },
    { id: "local", contextTokens: 4_096 },
  ]);
  const [warning, ...more] = await warnings();
  expect(warning).toContain("OPENAI_MODEL=local is 4096 tokens long");
  expect(warning).toContain("OPENAI_MAX_OUTPUT_TOKENS");
  expect(more).toEqual([]);
});

it.each([
  ["is long enough", { data: [{ id: "local", max_model_len: neededTokens(4_000) }] }],
  ["is not stated", { data: [{ id: "local", max_model_len: null }] }],
  ["is that of another model", { data: [{ id: "other", max_model_len: 1 }] }],
  ["stands in another document", { models: [] }],
  ["cannot be asked for", null],
])("nothing is warned of where the context %s", async (_, list) => {
  openai.listModels(list);
  expect(await warnings()).toEqual([]);
});

it("nothing is warned of where no server listens", async () => {
  expect(await warnings(`http://127.0.0.1:${await freePort()}/v1`)).toEqual([]);
});
