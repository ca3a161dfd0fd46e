import { errorBodySchema } from "@shared/contract/errors.ts";
import { signalCandlesSchema } from "@shared/contract/market-data.ts";
import {
  historyPageSchema,
  signalAcceptedSchema,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveProduct, startLiveProduct } from "../../testing/start-live-server.ts";

const WAIT = { timeout: 15_000, interval: 50 };
/** Long enough for a user to be deleted in the meantime. */
const THINKING_MS = 1_500;
/** Asks for another market in each test, so that each has an analysis of its own. */
let bitcoin = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 };

describe("asking for a signal", () => {
  let product: LiveProduct;
  let database: Database;
  let exchange: LiveProduct["exchange"];
  let openai: LiveProduct["openai"];

  beforeAll(async () => {
    product = await startLiveProduct({
      serverEnv: { RATE_LIMIT: "on" },
      workerEnv: { EXCHANGES: "binance,kraken", OPENAI_MODEL: "test-model" },
    });
    ({ database, exchange, openai } = product);
  });
  beforeEach(() => {
    exchange.reset();
    openai.reset();
    bitcoin = { ...bitcoin, limit: bitcoin.limit + 1 };
  });
  afterAll(() => product.stop());

  const trader = () => createUser(database, { approved: true });
  const call = (user: UserRecord, path: string, init: RequestInit = {}) =>
    product.call(user, path, {
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    });
  const ask = (user: UserRecord, body: unknown = bitcoin, headers: Record<string, string> = {}) =>
    call(user, "/get-signal", { method: "POST", body: JSON.stringify(body), headers });
  const history = async (user: UserRecord, query = "") =>
    historyPageSchema.parse(await (await call(user, `/signal-history${query}`)).json());

  it("answers with the signal, made from the exchange's candles by the AI, and pushes the same", async () => {
    const user = await trader();
    const push = new PushClient({
      url: product.server.url,
      token: signTokenFor(user, product.settings),
      since: { user: 0 },
    });
    const response = await ask(user);
    expect(response.status).toBe(200);
    const signal = signalResponseSchema.parse(await response.json());
    expect(signal).toMatchObject({
      symbol: "BTC/USDT",
      status: "completed",
      analysis: {
        source: { data: "live", provider: "binance", analyst: "openai", model: "test-model" },
      },
    });
    expect(signal.analysis?.warnings.join()).not.toMatch(/Demo data|Rule-based/);
    await vi.waitFor(() => expect(push.received).toHaveLength(3), WAIT);
    push.close();
    expect(push.received.map((event) => event.name)).toEqual([
      "signal:queued",
      "signal:started",
      "signal:completed",
    ]);
    expect(push.received[2]?.data).toEqual(signal);
    const again = await call(user, `/signals/${signal.signal_id}`);
    expect(await again.json()).toEqual(signal);
  });

  it("gives the closed candles that the signal was made from", async () => {
    const user = await trader();
    const { signal_id, analysis } = signalResponseSchema.parse(await (await ask(user)).json());
    const response = await call(user, `/signals/${signal_id}/candles`);
    const { candles } = signalCandlesSchema.parse(await response.json());
    expect(candles.length).toBeGreaterThanOrEqual(300);
    expect(candles.at(-1)?.close).toBe(analysis?.source.price);
    const hourMs = 3_600_000;
    expect((candles.at(-1)?.time ?? 0) + hourMs).toBeLessThanOrEqual(Date.now());
  });

  it("accepts at once on Prefer: respond-async and has the result later", async () => {
    const user = await trader();
    const response = await ask(user, bitcoin, { prefer: "respond-async" });
    expect(response.status).toBe(202);
    const accepted = signalAcceptedSchema.parse(await response.json());
    expect(accepted.status).toBe("queued");
    expect(response.headers.get("location")).toBe(`/signals/${accepted.signal_id}`);
    await vi.waitFor(async () => {
      const signal = await (await call(user, `/signals/${accepted.signal_id}`)).json();
      expect(signal).toMatchObject({ status: "completed" });
    }, WAIT);
  });

  it.each([
    ["respond-async; wait=10", 202],
    ["wait=10, Respond-Async", 202],
    ["return=minimal", 200],
  ])("reads the preferences %j and responds with %i", async (prefer, status) => {
    expect((await ask(await trader(), bitcoin, { prefer })).status).toBe(status);
  });

  it("gives one signal for one idempotency key, however many ask at once", async () => {
    const user = await trader();
    const without = ask(user);
    const requests = Array.from({ length: 12 }, () =>
      ask(user, bitcoin, { "idempotency-key": "press-1" }),
    );
    const answers = await Promise.all((await Promise.all(requests)).map((one) => one.json()));
    const ids = new Set(answers.map((answer) => signalResponseSchema.parse(answer).signal_id));
    expect(ids.size).toBe(1);
    expect((await without).status).toBe(200);
    expect(await database.signals.countDocuments({ userId: user._id })).toBe(2);

    const stranger = await trader();
    const other = await ask(stranger, bitcoin, { "idempotency-key": "press-1" });
    expect(ids.has(signalResponseSchema.parse(await other.json()).signal_id)).toBe(false);
  });

  it("asks the next exchange when the first one is down", async () => {
    const user = await trader();
    exchange.behave("down", { exchange: "binance" });
    const signal = signalResponseSchema.parse(
      await (await ask(user, { symbol: "ETH/USDT", timeframe: "15m" })).json(),
    );
    expect(signal.analysis?.source.provider).toBe("kraken");
  });

  it("ends as the documented WAIT when the AI fails for good, pushed as failed", async () => {
    const user = await trader();
    openai.behave({ kind: "status", status: 500 });
    const response = await ask(user);
    expect(response.status).toBe(200);
    const signal = signalResponseSchema.parse(await response.json());
    expect(signal).toMatchObject({
      status: "failed",
      analysis: { final_signal: "WAIT", confidence: 0, entry: null },
    });
    expect(signal.analysis?.warnings).toContain("AI or data fetch failed");
    const event = await database.events.findOne({ name: "signal:failed" }).lean();
    expect(event?.data).toEqual(signal);
  });

  it("asks the AI once more with the reasons when its levels break the rules, then gives a WAIT", async () => {
    const user = await trader();
    openai.behave({
      kind: "advice",
      advice: { final_signal: "BUY", entry: 100, stop_loss: 200, take_profit: 50 },
    });
    const signal = signalResponseSchema.parse(await (await ask(user)).json());
    expect(openai.chats).toHaveLength(2);
    expect(signal).toMatchObject({ status: "completed", analysis: { final_signal: "WAIT" } });
  });

  it("lists a user's own finished signals page by page, newest first", async () => {
    const user = await trader();
    const ids: string[] = [];
    for (const symbol of ["BTC/USDT", "ETH/USDT", "XRP/USDT"]) {
      const answer = await ask(user, { symbol, timeframe: "1h" });
      ids.unshift(signalResponseSchema.parse(await answer.json()).signal_id);
    }
    const first = await history(user, "?limit=2");
    const second = await history(user, `?limit=2&cursor=${first.next_cursor}`);
    expect([...first.signals, ...second.signals].map((item) => item.id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
    expect(first.signals[0]).not.toHaveProperty("outcome");
    expect((await history(await trader())).signals).toEqual([]);
  });

  it.each([
    ["an unknown symbol", { symbol: "NOPE/NOPE", timeframe: "1h" }, "symbol"],
    ["a timeframe that is not offered", { symbol: "BTC/USDT", timeframe: "7h" }, "timeframe"],
    ["no symbol", { timeframe: "1h" }, "symbol"],
    ["a leverage out of range", { symbol: "BTC/USDT", timeframe: "1h", leverage: 500 }, "leverage"],
    ["an operator in place of a symbol", { symbol: { $gt: "" }, timeframe: "1h" }, "symbol"],
  ])("refuses %s and stores nothing", async (_, body, field) => {
    const user = await trader();
    const response = await ask(user, body);
    expect(response.status).toBe(422);
    const error = errorBodySchema.parse(await response.json());
    expect(error.code).toBe("invalid-input");
    expect(error.errors?.map((one) => one.field)).toContain(field);
    expect(await database.signals.countDocuments({ userId: user._id })).toBe(0);
  });

  it("hides other users' signals and unknown ids alike", async () => {
    const owner = await trader();
    const { signal_id } = signalResponseSchema.parse(await (await ask(owner)).json());
    const stranger = await trader();
    for (const id of [signal_id, "0123456789abcdef01234567", "nonsense", "%24gt"]) {
      expect((await call(stranger, `/signals/${id}`)).status).toBe(404);
      expect((await call(stranger, `/signals/${id}/candles`)).status).toBe(404);
    }
  });

  it("turns a revoked user away at once", async () => {
    const user = await trader();
    expect((await call(user, "/signal-history")).status).toBe(200);
    await database.users.updateOne({ _id: user._id }, { $set: { approved: false } });
    for (const response of [await ask(user), await call(user, "/signal-history")]) {
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: "not-approved" });
    }
  });

  it("stores nothing of a user who is deleted meanwhile, and the analysis is there for others", async () => {
    const ann = await trader();
    const root = await createUser(database, { username: "Root", role: "admin", approved: true });
    const linesBefore = product.workers[0]?.lines.length ?? 0;
    const lines = () => product.workers[0]?.lines.slice(linesBefore) ?? [];
    openai.behave({ kind: "advice", delayMs: THINKING_MS });
    const asked = await ask(ann, bitcoin, { Prefer: "respond-async" });
    const { signal_id } = signalAcceptedSchema.parse(await asked.json());
    await vi.waitFor(() => expect(openai.chats).toHaveLength(1), WAIT);
    const deleted = await call(root, `/admin/delete-user/${ann.username}`, { method: "POST" });
    expect(deleted.status).toBe(200);
    await vi.waitFor(() => expect(lines().join()).toContain("analysis finished"), WAIT);

    expect(await database.signals.findById(signal_id).lean()).toBeNull();
    expect(await database.events.countDocuments({ stream: userStream(ann._id) })).toBe(0);
    const others = signalResponseSchema.parse(await (await ask(await trader())).json());
    expect(others.status).toBe("completed");
    expect(openai.chats).toHaveLength(1);
    expect(lines().filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  });
});
