import type { WatchedPrices } from "@shared/contract/market-data.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, listSymbols, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { startServer } from "../start-server.ts";

const settings = {
  ...loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
  }),
  API_PORT: 0,
};
const logger = createLogger({ service: "server", level: "silent" });
const WAIT = { timeout: 30_000, interval: 100 };
const received = z.object({ symbol: z.string(), price: z.number(), at: z.iso.datetime() }).strict();

describe("live prices", () => {
  let database: Database;
  let server: Awaited<ReturnType<typeof startServer>>;
  const clients: PushClient[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    await listSymbols(database);
    server = await startServer({ settings, database, logger });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await database.livePrices.deleteMany();
  });
  afterAll(async () => {
    await server.stop();
    await database.close();
  });

  const connect = async (user: UserRecord) => {
    const client = new PushClient({
      url: `http://localhost:${server.port}`,
      token: signTokenFor(user, settings),
    });
    clients.push(client);
    const prices: { symbol: string; price: number; atMs: number }[] = [];
    client.socket.on("price", (payload: unknown) => {
      const { symbol, price } = received.parse(payload);
      prices.push({ symbol, price, atMs: performance.now() });
    });
    await vi.waitFor(() => expect(client.socket.connected).toBe(true), WAIT);
    const watch = (...symbols: unknown[]): Promise<WatchedPrices> =>
      client.socket.emitWithAck("prices:watch", { symbols });
    return { client, prices, watch };
  };
  const approved = () => createUser(database, { approved: true });
  /** As a worker stores it. */
  const store = (symbol: string, price: number, at = new Date()) =>
    database.livePrices.replaceOne(
      { _id: symbol },
      { price, at, provider: "binance", data: "live", feed: "websocket", writtenAt: new Date() },
      { upsert: true },
    );
  const watched = async () => {
    const watchers = await database.priceWatchers.find().lean();
    return watchers.flatMap(({ symbols }) => symbols);
  };

  it("sends the last known price at once, and then each change", async () => {
    await store("BTC/USDT", 100);
    const { prices, watch } = await connect(await approved());
    expect(await watch(" btc/usdt", "BTC/USDT", "ETH/USDT")).toEqual({
      symbols: ["BTC/USDT", "ETH/USDT"],
    });
    await vi.waitFor(() => expect(prices).toHaveLength(1), WAIT);
    await store("ETH/USDT", 7);
    await store("SOL/USDT", 8);
    await vi.waitFor(() => expect(prices).toHaveLength(2), WAIT);
    await store("BTC/USDT", 101);
    await vi.waitFor(() => expect(prices).toHaveLength(3), WAIT);
    expect(prices.map(({ symbol, price }) => [symbol, price])).toEqual([
      ["BTC/USDT", 100],
      ["ETH/USDT", 7],
      ["BTC/USDT", 101],
    ]);
  });

  it("sends a price again only after a change, and says whether it is stale", async () => {
    const { client, prices, watch } = await connect(await approved());
    const stale: unknown[] = [];
    client.socket.on("price:stale", (payload: unknown) => stale.push(payload));
    await store("ADA/USDT", 5, new Date(Date.now() - 60_000));
    await watch("ADA/USDT");
    await vi.waitFor(
      () => expect(stale).toMatchObject([{ symbol: "ADA/USDT", stale: true }]),
      WAIT,
    );
    await store("ADA/USDT", 5);
    await vi.waitFor(() => expect(stale.at(-1)).toMatchObject({ stale: false }), WAIT);
    await store("ADA/USDT", 6);
    await vi.waitFor(() => expect(prices.at(-1)?.price).toBe(6), WAIT);
    expect(prices.map(({ price }) => price)).toEqual([5, 6]);
  });

  it("sends at most one price a second of each symbol, and the last one always", async () => {
    const { prices, watch } = await connect(await approved());
    await watch("LTC/USDT");
    for (let price = 1; price <= 30; price += 1) {
      await store("LTC/USDT", price);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await vi.waitFor(() => expect(prices.at(-1)?.price).toBe(30), WAIT);
    expect(prices[0]?.price).toBe(1);
    const gaps = prices.slice(1).map(({ atMs }, index) => atMs - (prices[index]?.atMs ?? 0));
    expect(prices.length).toBeGreaterThan(1);
    // They are a second apart when they are sent.
    expect(Math.min(...gaps)).toBeGreaterThan(900);
  });

  it("informs the workers which symbols are watched, and a few seconds after the last socket that none is", async () => {
    const one = await connect(await approved());
    const other = await connect(await approved());
    await one.watch("BTC/USDT", "ETH/USDT");
    await other.watch("BTC/USDT");
    await vi.waitFor(async () => expect(await watched()).toEqual(["BTC/USDT", "ETH/USDT"]), WAIT);
    await one.watch("SOL/USDT");
    await vi.waitFor(async () => expect(await watched()).toEqual(["BTC/USDT", "SOL/USDT"]), WAIT);
    const leftAt = performance.now();
    one.client.close();
    await other.watch();
    await vi.waitFor(
      async () => expect(await database.priceWatchers.countDocuments()).toBe(0),
      WAIT,
    );
    expect(performance.now() - leftAt).toBeLessThan(4_500);
  });

  it.each<[string, unknown[], object]>([
    [
      "more than 20 symbols",
      Array.from({ length: 21 }, (_, n) => `C${n}/USDT`),
      { code: "invalid-input", detail: "Watch at most 20 symbols." },
    ],
    ["something else than text", [5], { code: "invalid-input" }],
    [
      "a symbol with other characters",
      ["BTC$"],
      { code: "invalid-input", detail: "Use letters, digits, / . and - only." },
    ],
    [
      "an unknown symbol",
      ["BTC/USTD"],
      { code: "invalid-input", detail: "Unknown symbol BTC/USTD. Did you mean BTC/USDT?" },
    ],
  ])("refuses %s, and keeps the former set", async (_, symbols, error) => {
    const { prices, watch } = await connect(await approved());
    await watch("BTC/USDT");
    expect(await watch(...symbols)).toMatchObject({ error });
    await store("BTC/USDT", 100);
    await vi.waitFor(() => expect(prices).toHaveLength(1), WAIT);
  });

  it("refuses an invalid payload, does without an acknowledgement, and limits requests", async () => {
    const { client, watch } = await connect(await approved());
    const answer: unknown = await client.socket.emitWithAck("prices:watch");
    expect(answer).toMatchObject({ error: { code: "invalid-input" } });
    client.socket.emit("prices:watch", { symbols: ["BTC/USDT"] });
    client.socket.emit("prices:watch");
    const answers = await Promise.all(Array.from({ length: 20 }, () => watch("BTC/USDT")));
    expect(answers[0]).toEqual({ symbols: ["BTC/USDT"] });
    expect(answers.at(-1)).toMatchObject({ error: { code: "rate-limited" } });
  });

  it("refuses a user who is not approved", async () => {
    const { watch } = await connect(await createUser(database));
    expect(await watch("DOGE/USDT")).toEqual({
      error: { code: "not-approved", detail: "Your account is waiting for approval." },
    });
    expect(await watched()).not.toContain("DOGE/USDT");
  });

  it("stops when the approval is revoked", async () => {
    const user = await approved();
    const admin = await createUser(database, { role: "admin", approved: true });
    const { prices, watch } = await connect(user);
    await watch("ADA/USDT");
    await vi.waitFor(async () => expect(await watched()).toContain("ADA/USDT"), WAIT);
    const token = signTokenFor(admin, settings);
    const path = `http://localhost:${server.port}/admin/revoke/${user.username}`;
    expect((await callApi(path, { method: "POST", token })).status).toBe(200);
    await vi.waitFor(async () => expect(await watched()).not.toContain("ADA/USDT"), WAIT);
    await store("ADA/USDT", 100);
    expect(await watch("ADA/USDT")).toMatchObject({ error: { code: "not-approved" } });
    expect(prices).toEqual([]);
  });

  it("stops at the end of a subscription, before a worker stores it", async () => {
    const user = await createUser(database, { approved: true });
    const { watch } = await connect(user);
    const accessEndsAt = new Date(Date.now() + 1_500);
    const subscription = {
      plan: "pro",
      status: "grace",
      startedAt: new Date(),
      endsAt: new Date(),
      graceUntil: accessEndsAt,
      accessEndsAt,
    };
    await database.users.updateOne({ _id: user._id }, { $set: { subscription } });
    expect(await watch("XRP/USDT")).toEqual({ symbols: ["XRP/USDT"] });
    await vi.waitFor(async () => expect(await watched()).toContain("XRP/USDT"), WAIT);
    await vi.waitFor(async () => expect(await watched()).not.toContain("XRP/USDT"), WAIT);
  });
});
