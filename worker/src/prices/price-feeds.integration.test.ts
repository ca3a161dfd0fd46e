import { type Database, openDatabase } from "@shared/database/database.ts";
import type { LivePriceRecord } from "@shared/database/models/market-data.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CcxtMarketData } from "../market-data/ccxt/ccxt-market-data.ts";
import { createReplayMarketData } from "../market-data/replay/replay-market-data.ts";
import { CCXT_LIMITS, silentLogger } from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import type { PriceFeedLimits } from "./price-feeds.ts";
import { startPrices } from "./price-feeds.ts";

const WAIT = { timeout: 30_000, interval: 20 };
const POLLS = { live: 200, replay: 200, delayed: 200, failed: 200 };
const LIMITS: PriceFeedLimits = { silenceMs: 10_000, firstRetryMs: 100, pollMs: POLLS };

describe("live prices of watched markets", () => {
  let database: Database;
  let exchange: FakeExchange;
  const workers: ReturnType<typeof startPrices>[] = [];
  const timers: NodeJS.Timeout[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    exchange = await startFakeExchange();
  });
  beforeEach(() => {
    exchange.reset();
    exchange.stream.behave("ok");
  });
  afterEach(async () => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await database.priceWatchers.deleteMany();
    await database.livePrices.deleteMany();
  });
  afterAll(async () => {
    await exchange.close();
    await database.close();
  });

  const startWorker = (
    workerId: string,
    options: {
      wsUrl?: string | undefined;
      replays?: boolean;
      limits?: Partial<PriceFeedLimits>;
    } = {},
  ) => {
    const { wsUrl = exchange.wsUrl, replays = false, limits } = options;
    const now = () => Date.now();
    const binance = new CcxtMarketData({
      exchangeId: "binance",
      baseUrl: exchange.url,
      now,
      logger: silentLogger,
      wsUrl: wsUrl || undefined,
      limits: CCXT_LIMITS.generous,
      pace: false,
    });
    const worker = startPrices({
      database,
      logger: silentLogger,
      workerId,
      metrics: createWorkerMetrics(),
      marketData: replays ? createReplayMarketData({ now }) : binance,
      market: {
        async priceStream(symbol) {
          const symbols = await binance.symbols(new AbortController().signal);
          return replays || !symbols.includes(symbol) ? undefined : binance.prices;
        },
      },
      now: () => new Date(),
      shutdown: new AbortController().signal,
      limits: { ...LIMITS, ...limits },
    });
    workers.push(worker);
    return worker;
  };
  /** As a server stores it. */
  const watch = (...symbols: string[]) =>
    database.priceWatchers.updateOne(
      { _id: "server" },
      [{ $set: { symbols: { $literal: symbols }, seenAt: { $add: ["$$NOW", 600_000] } } }],
      { upsert: true, updatePipeline: true },
    );
  const priceOf = (symbol: string) => database.livePrices.findById(symbol).lean();
  /** Sends prices until one of them is stored. */
  const untilStored = async (symbol: string, part: Partial<LivePriceRecord>) => {
    await vi.waitFor(
      async () => {
        exchange.stream.send(symbol, part.price ?? 1);
        expect(await priceOf(symbol)).toMatchObject(part);
      },
      { ...WAIT, interval: 50 },
    );
  };

  it("come over the WebSocket of the exchange, only while somebody watches", async () => {
    startWorker("one");
    expect(exchange.stream.open).toBe(0);
    await watch("BTC/USDT", "ETH/USDT");
    await untilStored("BTC/USDT", {
      price: 101,
      feed: "websocket",
      provider: "binance",
      data: "live",
    });
    await untilStored("ETH/USDT", { price: 7, feed: "websocket" });
    expect(exchange.stream.open).toBe(1);
    await watch("ETH/USDT");
    await vi.waitFor(
      () => expect(exchange.stream.subscribed).toEqual(["ethusdt@miniTicker"]),
      WAIT,
    );
    const leftAt = performance.now();
    await database.priceWatchers.deleteMany();
    await vi.waitFor(() => expect(exchange.stream.open).toBe(0), WAIT);
    expect(performance.now() - leftAt).toBeLessThan(2_500);
  });

  it("are stored at most once a second, the last one always", async () => {
    startWorker("one");
    await watch("BTC/USDT");
    await untilStored("BTC/USDT", { price: 1 });
    const writes: number[] = [];
    const changes = database.livePrices.watch();
    changes.on("change", () => writes.push(performance.now()));
    for (let price = 2; price <= 40; price += 1) {
      exchange.stream.send("BTC/USDT", price);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await vi.waitFor(
      async () => expect(await priceOf("BTC/USDT")).toMatchObject({ price: 40 }),
      WAIT,
    );
    await changes.close();
    const gaps = writes.slice(1).map((at, index) => at - (writes[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(900);
  });

  it("are polled while the WebSocket is lost, and come over it again once it is back", async () => {
    startWorker("one");
    await watch("BTC/USDT");
    await untilStored("BTC/USDT", { price: 101, feed: "websocket" });
    exchange.stream.behave("refused");
    exchange.stream.drop();
    await vi.waitFor(async () => {
      expect(await priceOf("BTC/USDT")).toMatchObject({ feed: "fallback", provider: "binance" });
    }, WAIT);
    exchange.stream.behave("ok");
    await untilStored("BTC/USDT", { price: 102, feed: "websocket" });
  });

  it("are polled when the WebSocket is open but silent", async () => {
    startWorker("one", { limits: { silenceMs: 1_000 } });
    await watch("BTC/USDT");
    await untilStored("BTC/USDT", { price: 101, feed: "websocket" });
    exchange.stream.behave("silent");
    await vi.waitFor(async () => {
      expect(await priceOf("BTC/USDT")).toMatchObject({ feed: "fallback" });
    }, WAIT);
    exchange.stream.behave("ok");
    await untilStored("BTC/USDT", { price: 102, feed: "websocket" });
  });

  it("are polled without the address of the WebSockets, and while replayed", async () => {
    startWorker("one", { wsUrl: "" });
    await watch("BTC/USDT");
    await vi.waitFor(async () => {
      expect(await priceOf("BTC/USDT")).toMatchObject({ feed: "polling", data: "live" });
    }, WAIT);
    expect(exchange.stream.open).toBe(0);
    await workers.pop()?.stop();
    await database.livePrices.deleteMany();
    startWorker("two", { replays: true });
    await vi.waitFor(async () => {
      expect(await priceOf("BTC/USDT")).toMatchObject({ feed: "polling", data: "replay" });
    }, WAIT);
  });

  it("come from one worker, and from another in seconds if that one is killed", async () => {
    const first = startWorker("one");
    startWorker("two");
    await watch("BTC/USDT");
    await untilStored("BTC/USDT", { price: 101, feed: "websocket" });
    expect(exchange.stream.subscribed).toEqual(["btcusdt@miniTicker"]);
    const before = exchange.stream.accepted;
    const [lease] = await database.leases.find().lean();
    // A killed worker leaves its lease behind.
    const killed = lease?.owner === "one" ? first : workers[1];
    await killed?.stop();
    await database.leases.updateOne(
      { _id: "prices" },
      [{ $set: { owner: "killed", expiresAt: { $add: ["$$NOW", 3_000] } } }],
      { upsert: true, updatePipeline: true },
    );
    const killedAt = performance.now();
    await vi.waitFor(() => expect(exchange.stream.accepted).toBe(before + 1), WAIT);
    await untilStored("BTC/USDT", { price: 102, feed: "websocket" });
    expect(performance.now() - killedAt).toBeLessThan(8_000);
  });
});
