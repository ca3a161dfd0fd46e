import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { MESSAGES } from "@shared/contract/constants.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
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
const sent: { url: string | undefined; body: string }[] = [];
const server = createServer(async (incoming: IncomingMessage, response) => {
  keys.push(incoming.headers["idempotency-key"]);
  let body = "";
  for await (const chunk of incoming) body += chunk;
  sent.push({ url: incoming.url, body });
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

/** The modules read the API's address and the tab's storage when they are loaded, so no other test file may have loaded them. */
async function loadModules() {
  vi.resetModules();
  Object.defineProperty(globalThis, "sessionStorage", { value: memoryStorage() });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  vi.stubEnv("VITE_API_URL", `http://127.0.0.1:${address.port}`);
  const { submitRequest, nextPending, resumePending } = await import("./submit-request.ts");
  const { useBot } = await import("./bot-store.ts");
  return { submitRequest, nextPending, resumePending, useBot };
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
  await bot.submitRequest({ request, image: null });
  const { tracked, pending, failure } = bot.useBot.getState();
  expect(tracked).toMatchObject([{ id: "s1", symbol: "BTC/USDT", timeframe: "1h" }]);
  expect({ pending, failure }).toEqual({ pending: null, failure: null });
});

test("tracked signals survive a reload, a failure does not", async () => {
  await bot.submitRequest({ request, image: null });
  const kept = JSON.parse(sessionStorage.getItem("bot") ?? "{}");
  expect(kept.state.tracked).toMatchObject([{ id: "s1" }]);
  expect(kept.state).not.toHaveProperty("failure");
});

test("a refused request shows the server's reason and tracks nothing", async () => {
  answers.push(refuse(422, "invalid-input", "No provider knows NOPE."));
  await bot.submitRequest({ request, image: null });
  expect(bot.useBot.getState()).toMatchObject({
    failure: { kind: "refused", text: "No provider knows NOPE." },
    pending: null,
    tracked: [],
  });
});

test("a server error is a broken request with the server's reason", async () => {
  answers.push(refuse(503, "unavailable", "Briefly unavailable."));
  await bot.submitRequest({ request, image: null });
  expect(bot.useBot.getState().failure).toMatchObject({
    kind: "broken",
    text: "Briefly unavailable.",
  });
});

test("after a lost connection, the request is sent again with the same key", async () => {
  answers.push(hangUp);
  await bot.submitRequest({ request, image: null });
  expect(bot.useBot.getState().tracked).toHaveLength(1);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test("a request that was given up keeps its key when the user asks for the same", async () => {
  answers.push(hangUp, hangUp);
  await bot.submitRequest({ request, image: null });
  expect(bot.useBot.getState().failure?.kind).toBe("broken");
  await bot.submitRequest({ request, image: null });
  expect(bot.useBot.getState()).toMatchObject({ failure: null, tracked: [{ id: "s1" }] });
  expect(new Set(keys).size).toBe(1);
});

test("a time-out is reported at once, and the signal appears when the server responds again", async () => {
  answers.push(refuse(504, "timeout", "Too slow."));
  const asked = bot.submitRequest({ request, image: null });
  await vi.waitFor(
    () => {
      expect(bot.useBot.getState().failure).toMatchObject({
        kind: "late",
        text: MESSAGES.requestTimeout,
      });
    },
    { timeout: 30_000 },
  );
  await asked;
  expect(bot.useBot.getState()).toMatchObject({ failure: null, tracked: [{ id: "s1" }] });
});

test("a request for something else has another key", () => {
  const pending = { key: "k1", request, requestedAt: 0, withImage: false, givenUp: true };
  const keyFor = (next: SignalRequest) =>
    bot.nextPending({ request: next, image: null }, { pending, image: null }).key;
  expect(keyFor(request)).toBe("k1");
  expect(keyFor({ ...request, amount: 200 })).toMatch(/^[0-9a-f]{32}$/);
});

test("the same request with another image has another key", () => {
  const image = new File(["one"], "chart.png", { type: "image/png" });
  const pending = { key: "k1", request, requestedAt: 0, withImage: true, givenUp: true };
  const keyWith = (picked: File | null) =>
    bot.nextPending({ request, image: picked }, { pending, image }).key;
  expect(keyWith(image)).toBe("k1");
  expect(keyWith(new File(["two"], "chart.png", { type: "image/png" }))).not.toBe("k1");
  expect(keyWith(null)).not.toBe("k1");
});

test("a request with an image is sent as a form to its own address", async () => {
  const image = new File(["bytes"], "chart.png", { type: "image/png" });
  await bot.submitRequest({ request, image });
  expect(sent.at(-1)).toMatchObject({ url: "/get-signal-with-image" });
  expect(sent.at(-1)?.body).toContain('name="chart_image"; filename="chart.png"');
  expect(sent.at(-1)?.body).toMatch(/name="symbol"\r\n\r\nBTC\/USDT/);
  expect(bot.useBot.getState().tracked).toMatchObject([{ id: "s1", withImage: true }]);
});

test("a request whose image was lost in a reload is not sent again", async () => {
  const pending = { key: "k1", request, requestedAt: Date.now(), withImage: true, givenUp: false };
  bot.useBot.setState({ pending });
  await bot.resumePending();
  expect(keys).toEqual([]);
  expect(bot.useBot.getState()).toMatchObject({ pending: null, failure: { kind: "refused" } });
});
