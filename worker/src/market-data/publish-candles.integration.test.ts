import type { Timeframe } from "@shared/contract/market-data.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { chartKey } from "@shared/database/models/market-data.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  CCXT_LIMITS,
  candlesFromCloses,
  liveSeries,
  memoryMarketData,
  silentLogger,
} from "../testing/fakes.ts";
import { CandleCache } from "./candle-cache.ts";
import { CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { MarketData } from "./market-data.ts";
import { startCandlePublisher } from "./publish-candles.ts";
import { createReplayMarketData } from "./replay/replay-market-data.ts";

const WAIT = { timeout: 30_000, interval: 20 };
/** A Friday. */
const NOW = Date.UTC(2026, 10, 20, 13, 37, 12);
const SATURDAY = Date.UTC(2026, 10, 21, 12);

describe("the candles that servers request", () => {
  let database: Database;
  let exchange: FakeExchange;
  let clock = NOW;
  const now = () => clock;
  const workers: ReturnType<typeof startCandlePublisher>[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    exchange = await startFakeExchange({ now });
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    clock = NOW;
  });
  afterAll(async () => {
    await exchange.close();
    await database.close();
  });

  const startWorker = (marketData: MarketData) =>
    workers.push(
      startCandlePublisher({
        database,
        marketData,
        logger: silentLogger,
        now: () => new Date(clock),
        shutdown: new AbortController().signal,
      }),
    );
  const binance = () => {
    const limits = CCXT_LIMITS.generous;
    const options = { baseUrl: exchange.url, now, logger: silentLogger, limits, pace: false };
    const source = new CcxtMarketData({ exchangeId: "binance", ...options });
    return new CandleCache({ source, now });
  };
  async function request(symbol: string, timeframe: Timeframe): Promise<void> {
    const _id = chartKey(symbol, timeframe);
    await database.candleRequests.create({ _id, symbol, timeframe, requestedAt: new Date() });
  }
  const answer = (symbol: string, timeframe: Timeframe) =>
    vi.waitFor(async () => {
      const _id = chartKey(symbol, timeframe);
      expect(await database.candleRequests.findById(_id).lean()).toBeNull();
      const stored = await database.currentCandles.findById(_id).lean();
      if (!stored) throw new Error("nothing is stored");
      return stored;
    }, WAIT);

  it("are fetched once by all workers, even if they were requested before", async () => {
    await request("BTC/USDT", "1h");
    startWorker(binance());
    startWorker(binance());
    const { source, candles, nextCloseAt, opensAt } = await answer("BTC/USDT", "1h");
    expect(source).toBe("binance");
    expect(candles).toHaveLength(500);
    expect(candles.filter(({ closed }) => !closed)).toEqual([candles.at(-1)]);
    expect(new Date(candles.at(-1)?.time ?? 0)).toEqual(new Date("2026-11-20T13:00:00Z"));
    expect({ nextCloseAt, opensAt }).toEqual({
      nextCloseAt: new Date("2026-11-20T14:00:00Z"),
      opensAt: null,
    });
    // The closed candles, and the newest ones with the open one.
    expect(exchange.count({ subject: "candles" })).toBe(2);
  });

  it("are those of the recording in a demo", async () => {
    startWorker(createReplayMarketData({ now }));
    await request("EUR/USD", "1d");
    const { source, candles } = await answer("EUR/USD", "1d");
    expect({ source, count: candles.length }).toEqual({ source: "replay", count: 500 });
    expect(candles.at(-1)).toMatchObject({ time: Date.UTC(2026, 10, 20), closed: false });
  });

  it("have no open one while the market is closed, and say when it opens", async () => {
    const candles = candlesFromCloses(Array(50).fill(1.1), { startAt: NOW - 50 * 3_600_000 });
    const market = { hours: "forex", delayMs: 0 } as const;
    const series = { ...liveSeries(candles), market };
    clock = SATURDAY;
    startWorker(memoryMarketData({ "EUR/USD": { ...series, open: candles[0] } }));
    await request("EUR/USD", "1h");
    const { candles: stored, opensAt, nextCloseAt } = await answer("EUR/USD", "1h");
    expect(stored.every(({ closed }) => closed)).toBe(true);
    expect(opensAt).toEqual(new Date("2026-11-22T22:00:00Z"));
    expect(nextCloseAt).toEqual(new Date("2026-11-22T23:00:00Z"));
  });

  it("are none if no provider has any", async () => {
    startWorker(memoryMarketData({}));
    await request("DOGE/USDT", "5m");
    expect((await answer("DOGE/USDT", "5m")).candles).toEqual([]);
  });
});
