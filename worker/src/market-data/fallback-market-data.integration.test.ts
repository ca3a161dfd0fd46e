import type { Timeframe } from "@shared/contract/market-data.ts";
import type { ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import {
  FAKE_EXCHANGES,
  type FakeExchange,
  startFakeExchange,
} from "@shared/testing/fakes/fake-exchange.ts";
import { OTHER_COINS } from "@shared/testing/recorded-candles.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CCXT_LIMITS, GUARD_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { type CcxtLimits, CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { GuardLimits } from "./fallback-market-data.ts";
import { createFallbackMarketData } from "./fallback-market-data.ts";
import { type CandleRequest, ProviderError } from "./market-data.ts";

const COINS = ["BTC", "ETH", "BNB", "ADA", "SOL", "XRP", "LTC", "DOGE", ...OTHER_COINS];

let exchange: FakeExchange;

beforeAll(async () => {
  exchange = await startFakeExchange();
  // On a kept connection that breaks, a request is sent once more.
  exchange.keepNoConnections();
});
afterAll(() => exchange.close());
beforeEach(() => exchange.reset());

function fallback(
  ids: readonly string[],
  limits: { ccxt?: CcxtLimits; guard?: Partial<GuardLimits> } = {},
): ReturnType<typeof createFallbackMarketData> {
  const now = Date.now;
  const providers = ids.map(
    (exchangeId) =>
      new CcxtMarketData({
        exchangeId,
        baseUrl: exchange.url,
        now,
        logger: silentLogger,
        limits: limits.ccxt ?? CCXT_LIMITS.generous,
        pace: false,
      }),
  );
  return createFallbackMarketData({
    providers,
    now,
    logger: silentLogger,
    limits: { ...GUARD_LIMITS, ...limits.guard },
  });
}

function request(part: Partial<CandleRequest> = {}): CandleRequest {
  return { symbol: "BTC/USDT", timeframe: "1h", limit: 50, abort: patient(), ...part };
}

describe("falling back", () => {
  it("stays with the first exchange as long as it delivers", async () => {
    const market = fallback(["okx", "binance"]);
    expect((await market.candles(request())).provider).toBe("okx");
    expect(exchange.count({ exchange: "binance" })).toBe(0);
  });

  it("begins with the exchange that is preferred, and goes on as usual", async () => {
    const market = fallback(["okx", "binance"]);
    expect((await market.candles(request({ prefer: "binance" }))).provider).toBe("binance");
    exchange.behave("down", { exchange: "binance" });
    expect((await market.candles(request({ prefer: "binance" }))).provider).toBe("okx");
  });

  it("asks one exchange alone where only that one may decide", async () => {
    const market = fallback(["okx", "binance"]);
    exchange.behave("down", { exchange: "binance" });
    await expect(market.candles(request({ only: "binance" }))).rejects.toThrow(ProviderError);
    expect(exchange.count({ exchange: "okx" })).toBe(0);
  });

  it("takes no exchange that lacks the candle which is asked for, and says so if all do", async () => {
    const market = fallback(["binance", "bybit"], { guard: { failuresToRest: 1 } });
    const through = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    exchange.behave("late", { exchange: "binance", subject: "candles" });
    expect((await market.candles(request())).provider).toBe("binance");
    expect((await market.candles(request({ through }))).provider).toBe("bybit");
    exchange.behave("late", { exchange: "bybit", subject: "candles" });
    await expect(market.candles(request({ through }))).rejects.toThrow(ProviderError);
    expect(market.health().map(({ state }) => state)).toEqual(["ok", "ok"]);
  });

  it.each(FAKE_EXCHANGES)("reads a moment of the past from %s", async (id) => {
    const hour = 3_600_000;
    const until = Math.floor(Date.now() / hour) * hour - 100 * hour;
    const series = await fallback([id]).candles(request({ limit: 40, until: until + 1 }));
    expect(series.candles).toHaveLength(40);
    expect(series.candles.at(-1)?.time).toBe(until - hour);
  });

  it.each<[ServiceBehaviour, CcxtLimits?]>([
    ["down"],
    ["stalled-headers", CCXT_LIMITS.stalledHeaders],
    ["stalled-body", CCXT_LIMITS.stalledBody],
    ["rate-limited"],
    ["unavailable"],
    ["blocked"],
    ["html"],
    ["garbage"],
    ["empty"],
    ["short"],
    ["stale"],
  ])("takes the candles of the next exchange when the first one is %s", async (behaviour, ccxt) => {
    const market = fallback(["binance", "bybit"], ccxt ? { ccxt } : {});
    exchange.behave(behaviour, { exchange: "binance", subject: "candles" });
    const series = await market.candles(request({ limit: 200 }));
    expect(series.provider).toBe("bybit");
    expect(series.candles).toHaveLength(200);
  });

  it("goes through all five to the last one that works", async () => {
    const market = fallback(["binance", "bybit", "okx", "kraken", "kucoin"]);
    exchange.behave("down", { exchange: "binance" });
    exchange.behave("unavailable", { exchange: "bybit" });
    exchange.behave("html", { exchange: "okx" });
    exchange.behave("rate-limited", { exchange: "kraken" });
    expect((await market.candles(request())).provider).toBe("kucoin");
  });

  it("asks the next exchange for a symbol that the first one does not list", async () => {
    const market = fallback(["binance", "kraken"]);
    expect((await market.candles(request({ symbol: "EUR/USD" }))).provider).toBe("kraken");
    expect(exchange.count({ exchange: "binance" })).toBe(0);
  });

  it("takes a feed that stopped only where no other goes on", async () => {
    const market = fallback(["binance", "bybit"]);
    exchange.behave("stale", { exchange: "binance", subject: "candles" });
    exchange.behave("young", { exchange: "bybit", subject: "candles" });
    expect((await market.candles(request({ limit: 200 }))).provider).toBe("bybit");
    exchange.behave("stale", { exchange: "bybit", subject: "candles" });
    const stopped = await fallback(["binance", "bybit"]).candles(request({ limit: 200 }));
    expect(stopped.candles.length).toBeGreaterThan(150);
  });

  it("takes the longest series where none is complete", async () => {
    const market = fallback(["binance", "bybit"]);
    exchange.behave("short", { exchange: "binance", subject: "candles" });
    exchange.behave("young", { exchange: "bybit", subject: "candles" });
    const series = await market.candles(request({ limit: 500 }));
    expect(series.provider).toBe("bybit");
    expect(series.candles).toHaveLength(59);
  });
});

describe("when no exchange delivers", () => {
  it.each<[string, ServiceBehaviour, ServiceBehaviour]>([
    ["unreachable", "down", "down"],
    ["refused", "down", "unavailable"],
    ["nonsense", "html", "down"],
    ["rate-limited", "rate-limited", "down"],
  ])("says %s after %s and %s", async (failure, first, second) => {
    const market = fallback(["binance", "bybit"]);
    exchange.behave(first, { exchange: "binance" });
    exchange.behave(second, { exchange: "bybit" });
    await expect(market.candles(request())).rejects.toMatchObject({ failure });
  });

  it("says that the symbol is unknown only when every exchange that was there said so", async () => {
    const market = fallback(["binance", "bybit"]);
    const unknown = request({ symbol: "NOPE/USDT" });
    await expect(market.candles(unknown)).rejects.toMatchObject({ failure: "unknown-symbol" });
    exchange.behave("down", { exchange: "bybit" });
    await expect(fallback(["binance", "bybit"]).candles(unknown)).rejects.toMatchObject({
      failure: "unreachable",
    });
  });

  it.each(["XAU/USD", "SPX500", "BRENT"])(
    "has no exchange to ask for %s among exchanges",
    async (symbol) => {
      await expect(fallback(["binance"]).candles(request({ symbol }))).rejects.toMatchObject({
        failure: "unknown-symbol",
        message: expect.stringContaining(`no live provider lists ${symbol}`),
      });
      expect(exchange.requests).toEqual([]);
    },
  );
});

describe("patience with an exchange", () => {
  it("tries a second time when it was unavailable only once", async () => {
    exchange.behave("unavailable", { subject: "candles", times: 1 });
    expect((await fallback(["binance"]).candles(request())).candles).toHaveLength(50);
    expect(exchange.count({ subject: "candles" })).toBe(2);
  });

  it.each<ServiceBehaviour>(["rate-limited", "banned"])(
    "leaves an exchange alone at once when it was %s, and asks the next",
    async (behaviour) => {
      const market = fallback(["binance", "bybit"]);
      await market.candles(request());
      exchange.reset();
      exchange.behave(behaviour, { exchange: "binance" });
      for (let call = 0; call < 3; call += 1) {
        expect((await market.candles(request())).provider).toBe("bybit");
      }
      expect(exchange.count({ exchange: "binance" })).toBe(1);
      expect(market.health()[0]).toMatchObject({ state: "resting" });
    },
  );

  it("does not try again where that cannot help", async () => {
    const market = fallback(["binance"]);
    exchange.behave("garbage", { subject: "candles" });
    await expect(market.candles(request())).rejects.toMatchObject({ failure: "nonsense" });
    expect(exchange.count({ subject: "candles" })).toBe(1);
  });

  it("ends a provider's share of the time, and goes on with the next", async () => {
    const market = fallback(["binance", "bybit"], { guard: { timeShareMs: 1_000 } });
    exchange.behave("stalled-headers", { exchange: "binance" });
    expect((await market.candles(request())).provider).toBe("bybit");
    expect(market.health()[0]).toMatchObject({
      provider: "binance",
      state: "failing",
      lastFailure: { failure: "timeout" },
    });
  });

  it("pauses an exchange after repeated failures, without delaying requests", async () => {
    const market = fallback(["binance", "bybit"]);
    exchange.behave("down", { exchange: "binance", subject: "candles" });
    for (let call = 0; call < 10; call += 1) await market.candles(request());
    expect(exchange.count({ exchange: "binance", subject: "candles" })).toBe(3);
    expect(market.health()).toMatchObject([
      { provider: "binance", state: "resting", lastFailure: { failure: "unreachable" } },
      { provider: "bybit", state: "ok", lastFailure: null },
    ]);
  });

  it("comes back to an exchange that has recovered", async () => {
    const market = fallback(["binance", "bybit"], { guard: { restMs: 50 } });
    exchange.behave("html", { exchange: "binance", subject: "candles" });
    for (let call = 0; call < 3; call += 1) await market.candles(request());
    exchange.behave("ok");
    await vi.waitFor(
      async () => expect((await market.candles(request())).provider).toBe("binance"),
      { timeout: 30_000 },
    );
    expect(market.health()[0]?.state).toBe("ok");
  });

  it("repeats what was wrong while every exchange is left alone", async () => {
    const market = fallback(["binance"], { guard: { failuresToRest: 1 } });
    exchange.behave("unavailable");
    for (let call = 0; call < 3; call += 1) {
      await expect(market.candles(request())).rejects.toMatchObject({ failure: "refused" });
    }
  });

  it("does not hold it against an exchange that callers give up or ask for unknown symbols", async () => {
    const market = fallback(["binance"], { guard: { failuresToRest: 1 } });
    await market.candles(request());
    await expect(market.candles(request({ symbol: "NOPE/USDT" }))).rejects.toThrow();
    exchange.behave("stalled-headers");
    const caller = new AbortController();
    const candles = market.candles(request({ abort: caller.signal }));
    caller.abort();
    await expect(candles).rejects.toMatchObject({ failure: "timeout" });
    exchange.behave("ok");
    expect((await market.candles(request())).candles).toHaveLength(50);
  });

  it("asks no other provider once the caller has given up", async () => {
    const market = fallback(["binance", "bybit"]);
    exchange.behave("stalled-headers", { exchange: "binance" });
    const caller = new AbortController();
    const candles = market.candles(request({ abort: caller.signal }));
    await vi.waitFor(() => expect(exchange.count({ exchange: "binance" })).toBe(1), {
      timeout: 30_000,
    });
    caller.abort();
    await expect(candles).rejects.toMatchObject({ failure: "timeout" });
    expect(exchange.count({ exchange: "bybit" })).toBe(0);
  });
});

it("asks 38 markets at once after their exchange closed its connections, without a failure", async () => {
  const busy = await startFakeExchange();
  const market = createFallbackMarketData({
    providers: [
      new CcxtMarketData({
        exchangeId: "binance",
        baseUrl: busy.url,
        now: Date.now,
        logger: silentLogger,
        pace: false,
      }),
    ],
    now: Date.now,
    logger: silentLogger,
  });
  const askAll = (timeframes: readonly Timeframe[]) => {
    const markets = timeframes.flatMap((timeframe) =>
      COINS.map((coin) => request({ symbol: `${coin}/USDT`, timeframe })),
    );
    return Promise.allSettled(markets.slice(0, 38).map((asked) => market.candles(asked)));
  };
  const all = Array.from({ length: 38 }, () => expect.objectContaining({ status: "fulfilled" }));
  expect(await askAll(["1h", "4h"])).toEqual(all);
  busy.closeIdle();
  expect(await askAll(["5m", "15m"])).toEqual(all);
  await busy.close();
}, 60_000);
