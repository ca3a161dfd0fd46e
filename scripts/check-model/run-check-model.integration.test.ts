import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { FAULTY_SERVERS, MODEL_SERVERS } from "@shared/testing/fakes/model-servers.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { checkModel } from "./run-check-model.ts";

let openai: FakeOpenAi;
beforeAll(async () => {
  openai = await startFakeOpenAi();
});
afterAll(() => openai.close());
beforeEach(() => openai.reset());

async function check(env: NodeJS.ProcessEnv = {}) {
  const lines: string[] = [];
  const settings = loadWorkerSettings({
    OPENAI_API_KEY: "sk-secret",
    OPENAI_BASE_URL: openai.baseUrl,
    OPENAI_MODEL: "test-model",
    ...env,
  });
  const abort = new AbortController().signal;
  const exitCode = await checkModel(settings, { say: (line) => lines.push(line), abort });
  return { exitCode, text: lines.join("\n") };
}

it.each(Object.entries(MODEL_SERVERS))("is usable at %s", async (_, server) => {
  openai.behave({ kind: "server", server });
  const { exitCode, text } = await check();
  expect(exitCode).toBe(0);
  expect(text).toMatch(/^Learned: (json_schema|json_object|text), /m);
});

it.each(Object.entries(FAULTY_SERVERS))("names the setting: %s", async (name, server) => {
  openai.behave({ kind: "server", server });
  const { exitCode, text } = await check();
  // Recorded candles come without an image.
  if (name === "no images") return expect(exitCode).toBe(0);
  expect(exitCode).toBe(1);
  expect(text).toMatch(/^Not usable: .*OPENAI_/m);
});

it("says server, model, what was learned, tokens, latency and cost, and no secret", async () => {
  openai.listModels({ data: [{ id: "another" }] });
  const { exitCode, text } = await check({
    OPENAI_PRICE_PROMPT: "1",
    OPENAI_PRICE_COMPLETION: "4",
  });
  expect(exitCode).toBe(0);
  expect(text).toContain(`Server: ${openai.baseUrl}`);
  expect(text).toContain("Model: test-model");
  expect(text).toContain("Learned: json_schema, max_completion_tokens");
  expect(text).toContain("Warning: The server does not list OPENAI_MODEL=test-model.");
  expect(text).toMatch(/^Tokens: \d+ in the prompt, \d+ in the answers$/m);
  expect(text).toMatch(/^Latency: \d+\.\d s$/m);
  expect(text).toMatch(/^Cost: 0\.\d{6} USD$/m);
  expect(text).toContain("Usable: The advice passed all checks.");
  expect(text).not.toContain("sk-secret");
});

it("is not usable where the advice is rejected twice", async () => {
  openai.behave({ kind: "advice", advice: { entry: null } });
  const { exitCode, text } = await check();
  expect(exitCode).toBe(1);
  expect(text).toContain("Not usable: The advice was rejected twice:");
});

it("names the limit that cut the answer off", async () => {
  openai.behave({
    kind: "content",
    content: '{"final_signal":"BUY","conf',
    finishReason: "length",
  });
  const { exitCode, text } = await check();
  expect(exitCode).toBe(1);
  expect(text).toContain("OPENAI_MAX_OUTPUT_TOKENS");
});

it("names the address where no server listens", async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
  const { exitCode, text } = await check({ OPENAI_BASE_URL: baseUrl });
  expect(exitCode).toBe(1);
  expect(text).toMatch(/^Not usable: .*OPENAI_BASE_URL/m);
});

it("names the time limit where the server does not answer in time", async () => {
  openai.behave({ kind: "stalled-body" });
  const { exitCode, text } = await check({ OPENAI_TIMEOUT_S: "1" });
  expect(exitCode).toBe(1);
  expect(text).toMatch(/^Not usable: .*OPENAI_TIMEOUT_S/m);
});

it("names the key where none is set", async () => {
  const { exitCode, text } = await check({ OPENAI_API_KEY: "" });
  expect(exitCode).toBe(1);
  expect(text).toContain("OPENAI_API_KEY");
});
