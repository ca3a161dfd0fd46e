import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { patient } from "../../testing/fakes.ts";
import { neededTokens } from "./context-length.ts";
import { VENDOR_URL } from "./model-server-store.ts";
import { fetchModels, modelNotices } from "./server-models.ts";

let openai: FakeOpenAi;
beforeAll(async () => {
  openai = await startFakeOpenAi();
});
afterAll(() => openai.close());
beforeEach(() => openai.reset());

const access = () => ({ apiKey: "sk-test", baseUrl: openai.baseUrl });

const settings = loadWorkerSettings({
  OPENAI_BASE_URL: "http://localhost/v1",
  OPENAI_MODEL: "local",
});
const TODAY = "2026-11-27";

/** What an operator reads where the server lists these models. */
async function notices(rows: unknown, model = "local", baseUrl = settings.OPENAI_BASE_URL) {
  openai.listModels(rows);
  const list = await fetchModels(access(), patient());
  const named = { ...settings, OPENAI_MODEL: model, OPENAI_BASE_URL: baseUrl };
  return modelNotices({ settings: named, list, today: TODAY });
}

it.each([
  ["vLLM", { max_model_len: 4_096 }],
  ["OpenRouter", { context_length: 4_096 }],
  ["Groq", { context_window: 4_096 }],
  ["Mistral", { max_context_length: 4_096 }],
  ["llama.cpp", { meta: { n_ctx: 4_096, n_ctx_train: 131_072 } }],
  ["LM Studio", { loaded_context_length: 4_096, max_context_length: 131_072 }],
])("a context that is too short is reported where %s states it", async (_, stated) => {
  const [notice, ...more] = await notices({ data: [{ id: "other" }, { id: "local", ...stated }] });
  expect(notice).toContain("OPENAI_MODEL=local is 4096 tokens long");
  expect(notice).toContain("OPENAI_MAX_OUTPUT_TOKENS");
  expect(more).toEqual([]);
});

it.each([
  ["context is long enough", { data: [{ id: "local", max_model_len: neededTokens(4_000) }] }],
  ["context is not stated", { data: [{ id: "local", max_model_len: null }] }],
  [
    "dates are empty or no dates",
    { data: [{ id: "local", deprecation: null, expiration_date: "" }] },
  ],
  ["list is another document", { models: [] }],
  ["list is empty", { data: [] }],
  ["list cannot be read", null],
  ["list has more pages", { data: [{ id: "other" }], has_more: true }],
  ["list has a row of another kind", { data: [{ id: "local" }, null, "x", { name: "y" }] }],
])("nothing is reported where the %s", async (_, list) => {
  expect(await notices(list)).toEqual([]);
});

it.each([
  ["llama3", "llama3:latest"],
  ["gemini-2.5-flash", "models/gemini-2.5-flash"],
  ["vendor/model:online", "vendor/model"],
  ["openai/gpt", "openai/*"],
])("the model %s is known to a server that lists it as %s", async (model, id) => {
  expect(await notices({ data: [{ id: "other" }, { id }] }, model)).toEqual([]);
});

it("a model is known by an alias", async () => {
  expect(await notices({ data: [{ id: "m-2", aliases: ["local"] }] })).toEqual([]);
});

it("a model that the server does not list is reported", async () => {
  expect(await notices({ data: [{ id: "locale" }] })).toEqual([
    "The server does not list OPENAI_MODEL=local. Check the name.",
  ]);
});

it("deployments are not in the list of an Azure server", async () => {
  const azure = "https://example.openai.azure.com/openai/v1";
  expect(await notices({ data: [{ id: "other" }] }, "local", azure)).toEqual([]);
});

it.each([
  ["Mistral", { deprecation: "2026-12-31T12:00:00Z", deprecation_replacement_model: "new" }, "new"],
  ["OpenRouter", { expiration_date: "2026-12-31" }, "another model"],
  ["Azure", { deprecation: { inference: Date.UTC(2026, 11, 31) / 1_000 } }, "another model"],
  ["a gateway", { shutdown_date: Date.UTC(2026, 11, 31) }, "another model"],
])("a shutdown is reported as %s announces it", async (_, stated, replacement) => {
  const [notice] = await notices({ data: [{ id: "local", ...stated }] });
  expect(notice).toContain("OPENAI_MODEL=local will be shut down on 2026-12-31.");
  expect(notice).toContain(replacement);
});

it("a shutdown in the past is reported as such", async () => {
  const [notice] = await notices({ data: [{ id: "local", shutdown_date: TODAY }] });
  expect(notice).toContain(`OPENAI_MODEL=local was to be shut down on ${TODAY}.`);
});

it.each(["gpt-5-mini", "gpt-5-mini-2025-08-07"])(
  "the vendor's announcement is known for %s, at the vendor only",
  async (model) => {
    const list = { data: [{ id: model }] };
    const [notice] = await notices(list, model, VENDOR_URL);
    expect(notice).toContain("on 2026-12-11. Set OPENAI_MODEL=gpt-6.1-terra");
    expect(await notices(list, model)).toEqual([]);
  },
);

it("the default model has no announced shutdown", async () => {
  const { OPENAI_MODEL: model } = loadWorkerSettings({});
  expect(await notices({ data: [{ id: model }] }, model, VENDOR_URL)).toEqual([]);
});
