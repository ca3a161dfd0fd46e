import { HOUR_MS } from "@shared/contract/constants.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { type MarketCandles, marketCandlesSchema } from "@shared/contract/market-data.ts";
import { type CurrentCandlesRecord, chartKey } from "@shared/database/models/market-data.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const WAIT = { timeout: 30_000, interval: 10 };
const NOW = new Date("2026-11-20T13:37:12Z");
const OPENED = Date.parse("2026-11-20T13:00:00Z");

const candle = (index: number): MarketCandles["candles"][number] => ({
  time: OPENED + (index - 2) * HOUR_MS,
  open: 100,
  high: 102,
  low: 99,
  close: 101,
  volume: 5,
  closed: index < 2,
});
const current = {
  source: "binance",
  candles: [candle(0), candle(1), candle(2)],
  opensAt: null,
  delayMs: 0,
  nextCloseAt: new Date(OPENED + HOUR_MS),
};

describe("GET /candles", () => {
  let server: TestServer;
  beforeAll(async () => {
    const overrides = { now: () => NOW };
    server = await startTestServer({ databaseUri: testDatabaseUri(), overrides });
  });
  afterEach(() => server.database.workerStatuses.deleteMany());
  afterAll(() => server.stop());

  const get = (symbol: string, query = "", headers: Record<string, string> = {}) =>
    server.call(`/candles?symbol=${encodeURIComponent(symbol)}&timeframe=1h${query}`, { headers });
  const store = (symbol: string, changes: Partial<CurrentCandlesRecord> = {}) =>
    server.database.currentCandles.replaceOne(
      { _id: chartKey(symbol, "1h") },
      { ...current, freshUntil: new Date(Date.now() + 60_000), ...changes },
      { upsert: true },
    );
  const problem = async (answer: Response) => ({
    status: answer.status,
    ...errorBodySchema.parse(await answer.json()),
  });
  /** A worker that is running, as far as servers can see. */
  const addWorker = () =>
    server.database.workerStatuses.create({
      _id: "host:1:a",
      marketData: "live",
      analyst: "rules",
      concurrency: 1,
      providers: [],
      startedAt: new Date(),
      seenAt: new Date(),
    });

  it("gives anybody the candles, the open one last, to be cached until it closes", async () => {
    await store("BTC/USDT");
    const answer = await get("btc/usdt");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=1368");
    expect(marketCandlesSchema.parse(await answer.json())).toEqual({
      symbol: "BTC/USDT",
      timeframe: "1h",
      source: "binance",
      candles: current.candles,
      opens_at: null,
      delay_ms: 0,
    });
  });

  it("gives the newest candles up to the limit", async () => {
    await store("ETH/USDT");
    const { candles } = marketCandlesSchema.parse(await (await get("ETH/USDT", "&limit=2")).json());
    expect(candles).toEqual([candle(1), candle(2)]);
  });

  it("answers 304 without a body until the open candle moves", async () => {
    await store("BNB/USDT");
    const tag = (await get("BNB/USDT")).headers.get("ETag") ?? "";
    const known = await get("BNB/USDT", "", { "If-None-Match": `"other", ${tag}` });
    expect({ status: known.status, body: await known.text() }).toEqual({ status: 304, body: "" });
    expect(known.headers.get("ETag")).toBe(tag);
    const moved = { ...candle(2), high: 103, close: 103 };
    await store("BNB/USDT", { candles: [candle(0), candle(1), moved] });
    await vi.waitFor(async () => {
      const changed = await get("BNB/USDT", "", { "If-None-Match": tag });
      expect(changed.status).toBe(200);
      expect(changed.headers.get("ETag")).not.toBe(tag);
    }, WAIT);
  });

  it.each([
    ["symbol=BTC/USDT&timeframe=7h", "timeframe"],
    ["timeframe=1h", "symbol"],
    ["symbol=BTC/USDT&timeframe=1h&limit=501", "limit"],
    ["symbol=BTC/USDT&timeframe=1h&limit=0", "limit"],
    ["symbol=BTC/USDTT&timeframe=1h", "symbol"],
  ])("refuses ?%s", async (query, field) => {
    const { status, code, errors } = await problem(await server.call(`/candles?${query}`));
    expect({ status, code }).toEqual({ status: 422, code: "invalid-input" });
    expect(errors?.map((error) => error.field)).toEqual([field]);
  });

  it("has many simultaneous requests answered by one of a worker", async () => {
    await addWorker();
    const answers = Array.from({ length: 20 }, () => get("ADA/USDT"));
    await vi.waitFor(async () => {
      expect(await server.database.candleRequests.countDocuments()).toBe(1);
    }, WAIT);
    expect(await server.database.candleRequests.findOne().lean()).toMatchObject({
      _id: "ADA/USDT 1h",
      symbol: "ADA/USDT",
      timeframe: "1h",
    });
    await store("ADA/USDT");
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("requests candles that are no longer fresh once more", async () => {
    await addWorker();
    await store("SOL/USDT", { freshUntil: new Date(Date.now() - 1_000) });
    const answer = get("SOL/USDT");
    await vi.waitFor(async () => {
      expect(await server.database.candleRequests.findById("SOL/USDT 1h")).not.toBeNull();
    }, WAIT);
    await store("SOL/USDT", { source: "kraken" });
    expect(marketCandlesSchema.parse(await (await answer).json()).source).toBe("kraken");
  });

  it("replaces the request of a worker that has stopped", async () => {
    await addWorker();
    const requestedAt = new Date(Date.now() - 60_000);
    const left = { _id: "XRP/USDT 1h", symbol: "XRP/USDT", timeframe: "1h" } as const;
    await server.database.candleRequests.create({ ...left, requestedAt, takenAt: requestedAt });
    const answer = get("XRP/USDT");
    await vi.waitFor(async () => {
      const request = await server.database.candleRequests.findById(left._id).lean();
      expect(request?.takenAt).toBeUndefined();
    }, WAIT);
    await store("XRP/USDT");
    expect((await answer).status).toBe(200);
  });

  it("says so at once if no worker is running", async () => {
    const { status, code, detail } = await problem(await get("LTC/USDT"));
    expect({ status, code }).toEqual({ status: 503, code: "unavailable" });
    expect(detail).toBe("There is no data of LTC/USDT at the moment. Please try again soon.");
  });

  it("says so if no provider has candles of the market", async () => {
    await addWorker();
    await store("DOGE/USDT", { candles: [], source: "" });
    const answer = await get("DOGE/USDT");
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("5");
  });
});
