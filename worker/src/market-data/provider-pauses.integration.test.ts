import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeYahoo } from "@shared/testing/fakes/fake-yahoo.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CCXT_LIMITS, GUARD_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { type CandleRequest, ProviderError } from "./market-data.ts";
import { ProviderPauses } from "./provider-pauses.ts";
import { createMarketData, type MarketDataSelection } from "./select-market-data.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A list of markets is waited for even if no caller is left. */
const LIMITS = {
  ...CCXT_LIMITS.generous,
  markets: { ...CCXT_LIMITS.generous.markets, headersTimeoutMs: 2_000 },
};

let database: Database;
let exchange: FakeExchange;
let yahoo: Awaited<ReturnType<typeof startFakeYahoo>>;
const workers: MarketDataSelection[] = [];

beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
  exchange = await startFakeExchange();
  yahoo = await startFakeYahoo({ now: Date.now });
});
beforeEach(async () => {
  exchange.reset();
  yahoo.reset();
  await database.providerPauses.deleteMany();
});
afterEach(() => {
  for (const worker of workers.splice(0)) worker.close();
});
afterAll(async () => {
  await Promise.all([exchange.close(), yahoo.close()]);
  await database.close();
});

async function startWorker(
  options: { exchanges?: string[]; database?: Database; now?: () => number } = {},
): Promise<MarketDataSelection> {
  const worker = await createMarketData({
    settings: {
      MARKET_DATA: "auto",
      EXCHANGES: options.exchanges ?? ["binance"],
      EXCHANGE_URL: exchange.url,
      EXCHANGE_WS_URL: exchange.wsUrl,
      OANDA_TOKEN: undefined,
      OANDA_URL: yahoo.url,
      YAHOO_URL: yahoo.url,
    },
    now: options.now ?? Date.now,
    logger: silentLogger,
    pace: false,
    limits: { ccxt: LIMITS, guard: GUARD_LIMITS },
    database: options.database ?? database,
  });
  workers.push(worker);
  return worker;
}

const startWorkers = (count: number, options: Parameters<typeof startWorker>[0] = {}) =>
  Promise.all(Array.from({ length: count }, () => startWorker(options)));

const ask = ({ sources: { live } }: MarketDataSelection, part: Partial<CandleRequest> = {}) => {
  if (!live) throw new Error("The worker has no live market data.");
  return live.candles({
    symbol: "BTC/USDT",
    timeframe: "1h",
    limit: 50,
    abort: patient(),
    ...part,
  });
};
const statusesOf = async (work: Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status);
const sent = () => exchange.count({ exchange: "binance" });
/** Time passes for all workers. Those that know of the pause have ended. */
const endPause = () =>
  database.providerPauses.updateMany({}, [{ $set: { until: "$$NOW" } }], { updatePipeline: true });

/** Milliseconds, rounded to seconds, for which the database keeps the pause. */
async function storedPauseMs(provider = "binance"): Promise<number | undefined> {
  const [pause] = await database.providerPauses.aggregate<{ leftMs: number }>([
    { $match: { _id: provider } },
    { $project: { leftMs: { $subtract: ["$until", "$$NOW"] } } },
  ]);
  return pause && Math.round(pause.leftMs / MINUTE_MS) * MINUTE_MS;
}

describe("an exchange that bans this address", () => {
  it("gets no further request from any worker, whatever the market", async () => {
    const [one, other] = await startWorkers(2);
    if (!one || !other) throw new Error("Two workers are needed.");
    await Promise.all([ask(one), ask(other, { symbol: "ETH/USDT" })]);
    exchange.reset();
    exchange.behave("banned");
    await expect(ask(one, { timeframe: "5m" })).rejects.toMatchObject({ failure: "rate-limited" });
    expect(await storedPauseMs()).toBe(10 * MINUTE_MS);
    const symbols = ["BTC/USDT", "ETH/USDT", "SOL/USDT"];
    for (const worker of [one, other]) {
      const asked = symbols.map((symbol) => ask(worker, { symbol, timeframe: "15m" }));
      expect(await statusesOf(asked)).toEqual(["rejected", "rejected", "rejected"]);
    }
    expect(sent()).toBe(1);
  });

  it("is not asked for its list of markets or by probes either, and counts as reachable", async () => {
    exchange.behave("banned");
    const [one, other] = await startWorkers(2);
    if (!one || !other) throw new Error("Two workers are needed.");
    await one.probe();
    await other.probe();
    expect(await other.listedSymbols()).toMatchObject({ missing: ["binance"] });
    expect(await other.priceStream("BTC/USDT")).toBeUndefined();
    expect([one.currentSource(), other.currentSource()]).toEqual(["live", "live"]);
    expect(sent()).toBe(1);
  });

  it("leaves the requests to other providers at once", async () => {
    exchange.behave("banned", { exchange: "binance" });
    for (const worker of await startWorkers(2, { exchanges: ["binance", "kraken"] })) {
      const startedAt = performance.now();
      expect(await ask(worker)).toMatchObject({ provider: "kraken" });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    }
    expect(sent()).toBe(1);
  });

  it("gets a single request of all workers once the ban is over, and all after it has succeeded", async () => {
    exchange.behave("banned", { times: 1 });
    const [first] = await startWorkers(1);
    await expect(first && ask(first)).rejects.toThrow();
    await endPause();
    const later = await startWorkers(3);
    exchange.reset();
    exchange.behave("stalled-headers", { times: 1 });
    const caller = new AbortController();
    const trials = later.map((worker) => ask(worker, { abort: caller.signal }));
    const refused = await Promise.race(trials.map((trial) => trial.catch(() => "refused")));
    expect(refused).toBe("refused");
    await vi.waitFor(() => expect(sent()).toBe(1), { timeout: 30_000 });
    // A trial whose caller left says nothing; the next one may try.
    caller.abort();
    await statusesOf(trials);
    const last = await startWorker();
    await vi.waitFor(async () => expect(await ask(last)).toMatchObject({ provider: "binance" }), {
      timeout: 30_000,
    });
    expect(await database.providerPauses.countDocuments()).toBe(0);
  });

  it("is left alone again if the trial is refused", async () => {
    exchange.behave("banned");
    const [one] = await startWorkers(1);
    await expect(one && ask(one)).rejects.toThrow();
    await endPause();
    const asked = (await startWorkers(3)).map((worker) => ask(worker));
    expect(new Set(await statusesOf(asked))).toEqual(new Set(["rejected"]));
    expect(sent()).toBe(2);
    expect(await storedPauseMs()).toBe(10 * MINUTE_MS);
  });

  it("is left alone by a worker that cannot reach the database", async () => {
    const lost = await openDatabase({ uri: testDatabaseUri() });
    const worker = await startWorker({ database: lost });
    await ask(worker);
    await lost.close();
    exchange.reset();
    exchange.behave("banned");
    const symbols = ["BTC/USDT", "ETH/USDT", "SOL/USDT"];
    for (const symbol of symbols) {
      await expect(ask(worker, { symbol, timeframe: "5m" })).rejects.toMatchObject({
        failure: "rate-limited",
      });
    }
    expect(sent()).toBe(1);
  });
});

describe("limits of other providers", () => {
  it("Kraken's, in an answer with status 200", async () => {
    exchange.behave("limited-in-body", { exchange: "kraken" });
    for (const worker of await startWorkers(2, { exchanges: ["kraken"] })) {
      await expect(ask(worker)).rejects.toMatchObject({ failure: "rate-limited" });
    }
    expect(exchange.requests).toHaveLength(1);
    expect(await storedPauseMs("kraken")).toBe(MINUTE_MS);
  });

  it("Yahoo's", async () => {
    yahoo.behave("banned");
    for (const worker of await startWorkers(2)) {
      await expect(ask(worker, { symbol: "SPX500" })).rejects.toMatchObject({
        failure: "rate-limited",
      });
    }
    expect(yahoo.requests).toHaveLength(1);
    expect(await storedPauseMs("yahoo")).toBe(10 * MINUTE_MS);
  });

  it.each<[string, ServiceBehaviour]>([
    ["no response", "down"],
    ["a refusal without a time", "unavailable"],
  ])("%s is no limit", async (_, behaviour) => {
    exchange.behave(behaviour);
    await expect(ask(await startWorker())).rejects.toThrow();
    expect(await database.providerPauses.countDocuments()).toBe(0);
  });
});

describe("how long a provider is left alone", () => {
  const begin = async (fault: { retryAfterMs?: number; retryAt?: number }) => {
    const pauses = new ProviderPauses({ database, logger: silentLogger });
    const message = "too many requests";
    const failure = "rate-limited";
    await pauses.begin(new ProviderError({ provider: "binance", failure, message, ...fault }));
    return storedPauseMs();
  };

  it.each([
    ["a minute where it names no time", {}, MINUTE_MS],
    ["as long as it says", { retryAfterMs: 5 * MINUTE_MS }, 5 * MINUTE_MS],
    ["a minute where the moment has passed", { retryAt: 1_700_000_000_000 }, MINUTE_MS],
    ["a day at most", { retryAfterMs: 100 * DAY_MS }, DAY_MS],
    ["a day at most, also until a moment", { retryAt: Number.MAX_SAFE_INTEGER }, DAY_MS],
  ])("%s", async (_, fault, pauseMs) => {
    expect(await begin(fault)).toBe(pauseMs);
  });

  it("until the moment that it names, by the clock of the database", async () => {
    expect(await begin({ retryAt: Date.now() + 7 * MINUTE_MS })).toBe(7 * MINUTE_MS);
  });

  it("the longest of several times", async () => {
    await begin({ retryAfterMs: 9 * MINUTE_MS });
    expect(await begin({ retryAfterMs: 2 * MINUTE_MS })).toBe(9 * MINUTE_MS);
    expect(await begin({ retryAfterMs: 1, retryAt: Date.now() + 20 * MINUTE_MS })).toBe(
      20 * MINUTE_MS,
    );
  });
});
