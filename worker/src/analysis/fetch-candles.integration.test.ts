import { HOUR_MS } from "@shared/contract/constants.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CandleCache } from "../market-data/candle-cache.ts";
import { CcxtMarketData } from "../market-data/ccxt/ccxt-market-data.ts";
import { createFallbackMarketData } from "../market-data/fallback-market-data.ts";
import { CCXT_LIMITS, GUARD_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { fetchAnalysed, fetchNewest } from "./fetch-candles.ts";

const CLOSE = Date.UTC(2026, 10, 20, 13);
const candles = { subject: "candles" } as const;

let exchange: FakeExchange;
let clock: number;
const now = () => clock;

beforeAll(async () => {
  exchange = await startFakeExchange({ now });
});
afterAll(() => exchange.close());
beforeEach(() => {
  exchange.reset();
  clock = CLOSE + 300;
});

function market(ids: readonly string[]) {
  const options = { baseUrl: exchange.url, now, logger: silentLogger, pace: false };
  const limits = CCXT_LIMITS.generous;
  const providers = ids.map((exchangeId) => new CcxtMarketData({ ...options, exchangeId, limits }));
  const guard = { providers, now, logger: silentLogger, limits: GUARD_LIMITS };
  return new CandleCache({ source: createFallbackMarketData(guard), now });
}

async function fetched(marketData: CandleCache, abort = patient()) {
  const request = {
    symbol: "BTC/USDT",
    timeframe: "1h",
    limit: 50,
    candleClosedAt: new Date(CLOSE),
  } as const;
  const pause = async (timeMs: number) => {
    clock += timeMs;
  };
  const options = { request, marketData, now, abort, pause };
  return fetchAnalysed(options, await fetchNewest(options));
}

describe("an analysis just after a close", () => {
  it.each([1, 3, 14])("waits while the exchange lacks the candle in %i answers", async (times) => {
    exchange.behave("late", { ...candles, times });
    const { candles: series } = await fetched(market(["binance"]));
    expect(series.at(-1)?.time).toBe(CLOSE - HOUR_MS);
    expect(clock).toBe(CLOSE + 300 + times * 1_000);
  });

  it("takes the candle of another exchange after 15 s", async () => {
    exchange.behave("late", { ...candles, exchange: "binance" });
    const series = await fetched(market(["binance", "bybit"]));
    expect(series.provider).toBe("bybit");
    expect(series.candles.at(-1)?.time).toBe(CLOSE - HOUR_MS);
    expect(clock).toBe(CLOSE + 15_300);
  });

  it("fails with a sentence if no exchange has the candle, and works for the next request", async () => {
    exchange.behave("late", candles);
    const marketData = market(["binance", "bybit"]);
    await expect(fetched(marketData)).rejects.toMatchObject({
      name: "ProviderError",
      reason:
        "No provider has published the 1h candle of BTC/USDT that closed at 2026-11-20 13:00 UTC yet. " +
        "Try again in a minute.",
    });
    exchange.reset();
    expect((await fetched(marketData)).candles.at(-1)?.time).toBe(CLOSE - HOUR_MS);
  });

  it("is the same for a request of later", async () => {
    exchange.behave("late", { ...candles, times: 2 });
    const marketData = market(["binance"]);
    const early = await fetched(marketData);
    clock = CLOSE + HOUR_MS + 300;
    expect((await fetched(marketData)).candles.slice(-200)).toEqual(early.candles.slice(-200));
  });
});

describe("a quiet market", () => {
  it.each(["gaps", "quiet"] as const)("is analysed: %s", async (behaviour) => {
    exchange.behave(behaviour, candles);
    expect((await fetched(market(["binance"]))).candles).toHaveLength(300);
  });
});
