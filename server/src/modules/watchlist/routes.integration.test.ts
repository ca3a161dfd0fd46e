import type { UserRecord } from "@shared/database/models/user.ts";
import { analysisKey } from "@shared/domain/queue-analysis.ts";
import { createUser, createWatchlistItem, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals, pendingTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

/** A Saturday. */
const NOW = new Date("2026-11-21T10:20:30Z");
const LIMIT = 3;

describe("the watchlist", () => {
  let server: TestServer;
  /** Another server on the same database. */
  let other: TestServer;
  let now = NOW;
  let ann: UserRecord;
  beforeAll(async () => {
    const options = {
      databaseUri: testDatabaseUri(),
      environment: { WATCHLIST_LIMIT: `${LIMIT}`, WATCH_MIN_TIMEFRAME: "15m", RATE_LIMIT: "off" },
      overrides: { now: () => now },
    };
    server = await startTestServer(options);
    other = await startTestServer(options);
  });
  beforeEach(async () => {
    now = NOW;
    ann = await createUser(server.database, { approved: true });
  });
  afterAll(() => Promise.all([server.stop(), other.stop()]));

  interface Call {
    user?: UserRecord;
    json?: unknown;
    body?: URLSearchParams;
    on?: TestServer;
  }
  const call = async (request: string, { user = ann, on = server, ...init }: Call = {}) => {
    const [method, path = ""] = request.split(" ");
    const token = signTokenFor(user, on.deps.settings);
    const response = await on.call(path, { method, token, ...init });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const market = (symbol: string, timeframe = "1h") => ({ symbol, timeframe });
  const add = (json: object, options: Call = {}) => call("POST /watchlist", { json, ...options });
  const list = async (user = ann) => (await call("GET /watchlist", { user })).body;

  it("is empty at first, and has a limit and a shortest timeframe", async () => {
    expect(await call("GET /watchlist")).toEqual({
      status: 200,
      body: { items: [], limit: LIMIT, min_timeframe: "15m" },
    });
  });

  it("adds an item with defaults, which the list then has", async () => {
    const { status, body } = await add({ symbol: " btc/usdt", timeframe: "15m" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      symbol: "BTC/USDT",
      timeframe: "15m",
      min_confidence: 0,
      amount: 100,
      risk_percent: 1,
      leverage: 1,
      enabled: true,
      created_at: NOW.toISOString(),
      next_at: "2026-11-21T10:30:00.000Z",
      last: null,
    });
    now = new Date(NOW.getTime() + 1);
    const second = await add({ ...market("ETH/USDT"), min_confidence: "62.5", amount: 2_000 });
    expect(second.body).toMatchObject({ min_confidence: 62.5, amount: 2_000 });
    expect((await list()).items).toEqual([body, second.body]);
    expect((await list(await createUser(server.database, { approved: true }))).items).toEqual([]);
  });

  it("takes the next close at which the market is open", async () => {
    expect((await add(market("EUR/USD"))).body.next_at).toBe("2026-11-22T23:00:00.000Z");
  });

  it("takes the hours of the provider that the market is read from", async () => {
    const { marketSnapshots } = server.database;
    const quote = { symbol: "US30", price: 1, changePercent: 0, high: 1, low: 1, closes: [1] };
    const quotes = [{ ...quote, data: "live" as const, hours: "us-stocks" as const, asOf: NOW }];
    await marketSnapshots.create({ _id: "markets", quotes, updatedAt: NOW });
    now = new Date(NOW.getTime() + 60_000);
    expect((await add(market("US30"))).body.next_at).toBe("2026-11-23T15:00:00.000Z");
    expect((await add(market("US30", "1d"))).body.next_at).toBeNull();
    await marketSnapshots.deleteMany();
  });

  it.each([
    ["no symbol", { timeframe: "1h" }, "symbol"],
    ["no timeframe", { symbol: "BTC/USDT" }, "timeframe"],
    ["an unknown symbol", market("NO/SUCH"), "symbol"],
    ["an unknown timeframe", market("BTC/USDT", "7h"), "timeframe"],
    ["a timeframe that is too short", market("BTC/USDT", "5m"), "timeframe"],
    ["a confidence above 100", { ...market("BTC/USDT"), min_confidence: 100.1 }, "min_confidence"],
    ["a negative confidence", { ...market("BTC/USDT"), min_confidence: -1 }, "min_confidence"],
    ["a text as confidence", { ...market("BTC/USDT"), min_confidence: "high" }, "min_confidence"],
    ["an empty amount", { ...market("BTC/USDT"), amount: "" }, "amount"],
    ["an amount of null", { ...market("BTC/USDT"), amount: null }, "amount"],
    ["an amount of true", { ...market("BTC/USDT"), amount: true }, "amount"],
    ["an amount of 0", { ...market("BTC/USDT"), amount: 0 }, "amount"],
    ["a risk of 0", { ...market("BTC/USDT"), risk_percent: 0 }, "risk_percent"],
    ["a risk above 100", { ...market("BTC/USDT"), risk_percent: 101 }, "risk_percent"],
    ["a leverage below 1", { ...market("BTC/USDT"), leverage: 0.5 }, "leverage"],
    ["a leverage above 125", { ...market("BTC/USDT"), leverage: "126" }, "leverage"],
    ["an infinite leverage", { ...market("BTC/USDT"), leverage: "Infinity" }, "leverage"],
  ])("refuses %s", async (_, json, field) => {
    const { status, body } = await add(json);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "invalid-input", errors: [{ field }] });
    expect(body.detail).toMatch(/^[A-Z].*[.?]$|is missing\.$|is not valid\.$/);
    expect((await list()).items).toEqual([]);
  });

  it("refuses a market that is already watched, also when it is full, and then any other", async () => {
    const { body } = await add(market("BTC/USDT"));
    await call(`PATCH /watchlist/${body.id}`, { json: { enabled: false } });
    await add(market("BTC/USDT", "4h"));
    await add(market("ETH/USDT"));
    expect(await add(market("BTC/USDT"))).toMatchObject({
      status: 409,
      body: { code: "already-watched", errors: [{ field: "symbol" }] },
    });
    expect(await add(market("SOL/USDT"))).toMatchObject({
      status: 422,
      body: { code: "watchlist-full" },
    });
    await call(`DELETE /watchlist/${body.id}`);
    expect((await add(market("SOL/USDT"))).status).toBe(201);
  });

  it("keeps the limit when items are added on two servers at the same time", async () => {
    const symbols = ["BTC", "ETH", "BNB", "ADA", "SOL", "XRP", "LTC", "DOGE"];
    const answers = await Promise.all(
      symbols.map((base, index) =>
        add(market(`${base}/USDT`), { on: index % 2 === 0 ? server : other }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
    expect((await list()).items).toHaveLength(LIMIT);
  });

  it("adds a market once when it is added on two servers at the same time", async () => {
    const answers = await Promise.all(
      [server, other, server, other].map((on) => add(market("BTC/USDT"), { on })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect((await list()).items).toHaveLength(1);
  });

  it("changes what is given of an item, and nothing else", async () => {
    const { body } = await add({ ...market("BTC/USDT"), amount: 50 });
    const change = { min_confidence: "70", leverage: 2, enabled: false };
    const changed = await call(`PATCH /watchlist/${body.id}`, { json: change });
    const expected = { ...body, min_confidence: 70, leverage: 2, enabled: false };
    expect(changed).toEqual({ status: 200, body: expected });
    expect(await call(`PATCH /watchlist/${body.id}`, { json: {} })).toEqual(changed);
    expect((await list()).items).toEqual([expected]);
  });

  it.each([
    ["a symbol", { symbol: "ETH/USDT" }, "symbol"],
    ["the same symbol", { symbol: "BTC/USDT", amount: 5 }, "symbol"],
    ["a timeframe", { timeframe: "4h" }, "timeframe"],
    ["a text as amount", { amount: "lots" }, "amount"],
    ["an amount of null", { amount: null }, "amount"],
    ["a risk of 0", { risk_percent: "0" }, "risk_percent"],
    ["a leverage of 0", { leverage: 0 }, "leverage"],
    ["a confidence of 101", { min_confidence: 101 }, "min_confidence"],
    ["a text as switch", { enabled: "yes" }, "enabled"],
  ])("refuses %s as a change", async (_, json, field) => {
    const { body } = await add(market("BTC/USDT"));
    const refused = await call(`PATCH /watchlist/${body.id}`, { json });
    expect(refused).toMatchObject({ status: 422, body: { code: "invalid-input" } });
    expect(refused.body.errors[0].field).toBe(field);
    expect((await list()).items).toEqual([body]);
  });

  it("deletes an item once; others and unknown ones are not found", async () => {
    const { body } = await add(market("BTC/USDT"));
    const bob = await createUser(server.database, { approved: true });
    const path = `/watchlist/${body.id}`;
    expect((await call(`DELETE ${path}`, { user: bob })).status).toBe(404);
    expect(await call(`DELETE ${path}`)).toEqual({ status: 204, body: null });
    for (const gone of [path, "/watchlist/none", `/watchlist/${new Types.ObjectId()}`]) {
      expect(await call(`DELETE ${gone}`)).toMatchObject({ status: 404 });
      expect(await call(`PATCH ${gone}`, { json: { enabled: true } })).toMatchObject({
        status: 404,
        body: { code: "not-found" },
      });
    }
  });

  it("shows no next close of an item that is shorter than what can be watched now", async () => {
    await createWatchlistItem(server.database, ann, { timeframe: "5m" });
    expect((await list()).items).toMatchObject([{ timeframe: "5m", enabled: true, next_at: null }]);
  });

  it("shows the last analysis of the market, with the signal of the user", async () => {
    await server.database.marketAnalyses.deleteMany();
    const bob = await createUser(server.database, { approved: true });
    const at = new Date("2026-11-21T10:00:05Z");
    const candle = { symbol: "BTC/USDT", timeframe: "1h", limit: 50, candleClosedAt: at } as const;
    const [signal] = await createSignals(server.database, bob, {
      ...pendingTrade({ at, confidence: 71 }),
      market: { key: analysisKey(candle, null) },
    });
    await add(market("BTC/USDT"));
    await add(market("BTC/USDT"), { user: bob });
    const last = { at: at.toISOString(), final_signal: "BUY", confidence: 71 };
    expect((await list()).items[0].last).toEqual({ ...last, signal_id: null });
    expect((await list(bob)).items[0].last).toEqual({ ...last, signal_id: String(signal?._id) });
  });

  it("shows that the last analysis failed, and none of an image or another market", async () => {
    await server.database.marketAnalyses.deleteMany();
    const finishedAt = new Date("2026-11-21T10:00:05Z");
    const later = { finishedAt: new Date(finishedAt.getTime() + 1), updatedAt: finishedAt };
    await createSignals(server.database, ann, { status: "failed", finishedAt });
    await createSignals(server.database, ann, { ...later, chartImageId: new Types.ObjectId() });
    for (const different of [
      { symbol: "ETH/USDT" },
      { timeframe: "4h" as const },
      { limit: 100 },
    ]) {
      await createSignals(server.database, ann, { ...later, ...different, market: { key: "k" } });
      await server.database.marketAnalyses.updateOne({ key: "k" }, { $unset: { key: 1 } });
    }
    await add(market("BTC/USDT"));
    const { last } = (await list()).items[0];
    expect(last).toMatchObject({ at: finishedAt.toISOString(), final_signal: null });
  });

  it("shows no failed analysis of an image after its user's history is cleared", async () => {
    await server.database.marketAnalyses.deleteMany();
    const bob = await createUser(server.database, { approved: true });
    await createSignals(server.database, bob, {
      status: "failed",
      finishedAt: NOW,
      chartImageId: new Types.ObjectId(),
    });
    const admin = await createUser(server.database, { role: "admin", approved: true });
    await call(`POST /admin/delete-signal-history/${bob.username}`, { user: admin });
    await add(market("BTC/USDT"));
    expect((await list()).items[0].last).toBeNull();
  });

  it("needs an approval that has not ended", async () => {
    const pending = await createUser(server.database);
    await createWatchlistItem(server.database, pending);
    const refused = { status: 403, body: { code: "not-approved" } };
    for (const request of ["GET /watchlist", "POST /watchlist", "PATCH /watchlist/x"]) {
      expect(await call(request, { user: pending })).toMatchObject(refused);
    }
  });

  it("is in the user's data, and deleted with the account", async () => {
    await add({ ...market("BTC/USDT"), min_confidence: 60 });
    expect((await call("GET /me/data")).body.watchlist).toEqual([
      {
        symbol: "BTC/USDT",
        timeframe: "1h",
        enabled: true,
        min_confidence: 60,
        amount: 100,
        risk_percent: 1,
        leverage: 1,
        created_at: NOW.toISOString(),
      },
    ]);
    const admin = await createUser(server.database, { role: "admin", approved: true });
    await call(`POST /admin/delete-user/${ann.username}`, { user: admin });
    expect(await server.database.watchlistItems.countDocuments({ userId: ann._id })).toBe(0);
  });
});
