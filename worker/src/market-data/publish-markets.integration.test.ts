import { HOUR_MS } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { MARKET_SNAPSHOT_ID } from "@shared/database/models/worker-reports.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CCXT_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { CandleCache } from "./candle-cache.ts";
import { CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import { publishMarkets, startListingPublisher } from "./publish-markets.ts";
import { createReplayMarketData } from "./replay/replay-market-data.ts";

const NOW = Date.UTC(2026, 10, 20, 13, 37, 12);
const LAST_CLOSE = new Date(Date.UTC(2026, 10, 20, 13));

describe("the prices of the home page", () => {
  let database: Database;
  let exchange: FakeExchange;
  let clock = NOW;
  const now = () => clock;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    exchange = await startFakeExchange({ now });
  });
  afterAll(async () => {
    await exchange.close();
    await database.close();
  });
  beforeEach(async () => {
    clock = NOW;
    exchange.reset();
    await database.marketSnapshots.deleteMany();
  });

  const replay = () => createReplayMarketData({ now });
  /** An exchange that lists crypto only. */
  const binance = () =>
    new CandleCache({
      now,
      source: new CcxtMarketData({
        exchangeId: "binance",
        baseUrl: exchange.url,
        now,
        logger: silentLogger,
        limits: CCXT_LIMITS.generous,
        pace: false,
      }),
    });
  const publish = (marketData: ReturnType<typeof replay>, abort = patient(), pauseMs = 0) =>
    publishMarkets({
      database,
      logger: silentLogger,
      marketData,
      now: () => new Date(clock),
      abort,
      pauseMs,
    });
  const snapshot = () => database.marketSnapshots.findById(MARKET_SNAPSHOT_ID).lean();
  const quote = async (symbol: string) =>
    (await snapshot())?.quotes.find((candidate) => candidate.symbol === symbol);

  it("cover every symbol of the product, in its order, each with a day of closes", async () => {
    expect(await publish(replay())).toEqual([]);
    const stored = await snapshot();
    expect(stored?.updatedAt).toEqual(new Date(NOW));
    expect(stored?.quotes.map(({ symbol }) => symbol)).toEqual([...PRODUCT_SYMBOLS]);
    for (const { closes, price, high, low } of stored?.quotes ?? []) {
      expect(closes).toHaveLength(24);
      expect(closes.at(-1)).toBe(price);
      expect(high).toBeGreaterThanOrEqual(Math.max(...closes));
      expect(low).toBeLessThanOrEqual(Math.min(...closes));
    }
  });

  it("come without a pause the first time", async () => {
    expect(await publish(replay(), patient(), HOUR_MS)).toEqual([]);
    expect((await snapshot())?.quotes).toHaveLength(PRODUCT_SYMBOLS.length);
  });

  it("are those of the last closed candle, with the change from 24 hours before", async () => {
    await publish(replay());
    const { candles } = await replay().candles({
      symbol: "BTC/USDT",
      timeframe: "1h",
      limit: 25,
      abort: patient(),
    });
    const first = candles[0]?.close ?? Number.NaN;
    const last = candles.at(-1)?.close ?? Number.NaN;
    const btc = await quote("BTC/USDT");
    expect(btc).toMatchObject({ price: last, data: "replay", asOf: LAST_CLOSE });
    expect(btc?.changePercent).toBeCloseTo(((last - first) / first) * 100, 10);
  });

  it("leave out a symbol that no provider knows, and name it", async () => {
    const failed = await publish(binance());
    expect(failed).toContain("US30");
    expect(failed).not.toContain("BTC/USDT");
    expect(await quote("US30")).toBeUndefined();
    expect(await quote("BTC/USDT")).toMatchObject({ data: "live", asOf: LAST_CLOSE });
  });

  it("are asked for once an hour, however often they are published", async () => {
    const market = binance();
    await publish(market);
    const asked = exchange.count({ subject: "candles" });
    clock += 60_000;
    await publish(market);
    expect(exchange.count({ subject: "candles" })).toBe(asked);
    clock += HOUR_MS;
    await publish(market);
    expect(exchange.count({ subject: "candles" })).toBe(2 * asked);
  });

  it("outlast an outage for some hours, and then are not shown any more", async () => {
    await publish(binance());
    const before = await quote("BTC/USDT");
    exchange.behave("unavailable", { subject: "candles" });
    clock += 2 * HOUR_MS;
    expect(await publish(binance())).toContain("BTC/USDT");
    expect(await quote("BTC/USDT")).toEqual(before);
    clock += 5 * HOUR_MS;
    await publish(binance());
    expect(await quote("BTC/USDT")).toBeUndefined();
  });

  it("are left as they are by a round that is aborted", async () => {
    const stop = new AbortController();
    stop.abort();
    await publish(replay(), stop.signal);
    expect(await snapshot()).toBeNull();
  });
});

describe("the list of symbols that servers know", () => {
  let database: Database;
  const publishers: { stop: () => void }[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterEach(async () => {
    for (const publisher of publishers.splice(0)) publisher.stop();
    await database.marketListings.deleteMany();
  });
  afterAll(() => database.close());

  const publish = (listing: { symbols: string[]; missing: string[] }) => {
    publishers.push(startListingPublisher({ database, logger: silentLogger }, async () => listing));
  };
  const untilListed = (symbols: string[], missing: string[]) =>
    vi.waitFor(
      async () => {
        const listing = await database.marketListings.findById("symbols").lean();
        expect(listing?.symbols.toSorted()).toEqual(symbols);
        expect(listing?.missing).toEqual(missing);
      },
      { timeout: 30_000 },
    );

  it("says which providers are missing, until a worker has read them all", async () => {
    publish({ symbols: ["BTC/USDT"], missing: ["kraken"] });
    await untilListed(["BTC/USDT"], ["kraken"]);
    publish({ symbols: ["BTC/USDT", "PEPE/USD"], missing: [] });
    await untilListed(["BTC/USDT", "PEPE/USD"], []);
  });

  it("keeps the symbols of a provider that cannot be read any more", async () => {
    publish({ symbols: ["BTC/USDT", "PEPE/USD"], missing: [] });
    await untilListed(["BTC/USDT", "PEPE/USD"], []);
    publish({ symbols: ["BTC/USDT", "SOL/USDT"], missing: ["kraken"] });
    await untilListed(["BTC/USDT", "PEPE/USD", "SOL/USDT"], []);
  });
});
