import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { SignalRequest } from "@shared/contract/signal.ts";
import { TEXTS } from "@shared/contract/texts.ts";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { memoryStorage } from "../../lib/session.ts";

const request: SignalRequest = {
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 50,
  amount: 100,
  risk_percent: 1,
  leverage: 1,
};

type Answer = (response: ServerResponse) => void;

const keys: unknown[] = [];
const answers: Answer[] = [];
const server = createServer((incoming: IncomingMessage, response) => {
  keys.push(incoming.headers["idempotency-key"]);
  const answer = answers.shift() ?? accepted;
  answer(response);
});

const accepted: Answer = (response) =>
  response.writeHead(202).end(JSON.stringify({ signal_id: "s1", status: "queued" }));
const hangUp: Answer = (response) => response.destroy();
const refuse =
  (status: number, code: string, detail: string): Answer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ detail, code, request_id: "r1" }));

/** The modules read the API's address and the tab's storage when they are loaded. */
async function loadModules() {
  Object.defineProperty(globalThis, "sessionStorage", { value: memoryStorage() });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  vi.stubEnv("VITE_API_URL", `http://127.0.0.1:${address.port}`);
  const { askSignal, nextAttempt } = await import("./ask-signal.ts");
  const { useBot } = await import("./bot-store.ts");
  return { askSignal, nextAttempt, useBot };
}

let bot: Awaited<ReturnType<typeof loadModules>>;
beforeAll(async () => {
  bot = await loadModules();
});
afterAll(() => server.close());
beforeEach(() => {
  keys.length = 0;
  answers.length = 0;
  bot.useBot.setState(bot.useBot.getInitialState());
});

test("an accepted request becomes a tracked signal", async () => {
  await bot.askSignal(request);
  const { tracked, attempt, failure } = bot.useBot.getState();
  expect(tracked).toMatchObject([{ id: "s1", symbol: "BTC/USDT", timeframe: "1h" }]);
  expect({ attempt, failure }).toEqual({ attempt: null, failure: null });
});

test("what is tracked survives a reload, what went wrong does not", async () => {
  await bot.askSignal(request);
  const kept = JSON.parse(sessionStorage.getItem("bot") ?? "{}");
  expect(kept.state.tracked).toMatchObject([{ id: "s1" }]);
  expect(kept.state).not.toHaveProperty("failure");
});

test("a refusal shows the server's words and tracks nothing", async () => {
  answers.push(refuse(422, "invalid-input", "No provider knows NOPE."));
  await bot.askSignal(request);
  expect(bot.useBot.getState()).toMatchObject({
    failure: { kind: "refused", text: "No provider knows NOPE." },
    attempt: null,
    tracked: [],
  });
});

test("a server in trouble is a broken request, with the server's words", async () => {
  answers.push(refuse(503, "unavailable", "Briefly unavailable."));
  await bot.askSignal(request);
  expect(bot.useBot.getState().failure).toMatchObject({
    kind: "broken",
    text: "Briefly unavailable.",
  });
});

test("a lost connection is tried again by itself, under the same key", async () => {
  answers.push(hangUp);
  await bot.askSignal(request);
  expect(bot.useBot.getState().tracked).toHaveLength(1);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test("a request given up on keeps its key for the next try of the same", async () => {
  answers.push(hangUp, hangUp);
  await bot.askSignal(request);
  expect(bot.useBot.getState().failure?.kind).toBe("broken");
  await bot.askSignal(request);
  expect(bot.useBot.getState()).toMatchObject({ failure: null, tracked: [{ id: "s1" }] });
  expect(new Set(keys).size).toBe(1);
});

test("a time-out is said at once, and the signal is found when the server answers again", async () => {
  answers.push(refuse(504, "timeout", "Too slow."));
  const asked = bot.askSignal(request);
  await vi.waitFor(() => {
    expect(bot.useBot.getState().failure).toMatchObject({
      kind: "late",
      text: TEXTS.requestTimeout,
    });
  });
  await asked;
  expect(bot.useBot.getState()).toMatchObject({ failure: null, tracked: [{ id: "s1" }] });
});

test("another wish is another key", () => {
  const unanswered = { key: "k1", request, requestedAt: 0, givenUp: true };
  const next = { unanswered, now: 5, newKey: () => "k2" };
  expect(bot.nextAttempt(request, next).key).toBe("k1");
  expect(bot.nextAttempt({ ...request, amount: 200 }, next).key).toBe("k2");
});
