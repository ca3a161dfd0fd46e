import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { patient } from "../testing/fakes.ts";
import { createOpenAiAnalyst } from "./openai/openai-analyst.ts";
import { testModel } from "./test-model.ts";

let openai: FakeOpenAi;
beforeAll(async () => {
  openai = await startFakeOpenAi();
});
afterAll(() => openai.close());
beforeEach(() => openai.reset());

const analyst = () =>
  createOpenAiAnalyst({
    apiKey: "sk-test",
    baseUrl: openai.baseUrl,
    model: "test-model",
    callTimeoutMs: 30_000,
    maxOutputTokens: 4_000,
    price: null,
  });
const test = (timeoutMs?: number) =>
  testModel(analyst(), {
    abort: patient(),
    now: () => performance.now(),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });

it("ends in time at a server that never answers, and says so", async () => {
  openai.behave({ kind: "stalled-body" });
  expect(await test(300)).toMatchObject({
    is_usable: false,
    detail: "No answer within 0.3 s. Check OPENAI_BASE_URL and OPENAI_TIMEOUT_S.",
    prompt_tokens: null,
  });
});

it("says what the server said if it ends in a pause that the server demanded", async () => {
  openai.behave({ kind: "status", status: 429, retryAfterSeconds: 600 });
  const { is_usable, detail } = await test(3_000);
  expect(is_usable).toBe(false);
  expect(detail).toContain("limits requests");
});

it("counts the answer and its correction", async () => {
  openai.behave((_, index) => ({
    kind: "advice",
    ...(index === 0 && { advice: { stop_loss: null } }),
  }));
  const { is_usable, answers, detail } = await test();
  expect({ is_usable, answers, detail }).toEqual({
    is_usable: true,
    answers: 2,
    detail: "The advice passed all checks after one correction.",
  });
});
