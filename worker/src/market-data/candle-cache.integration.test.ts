import { HOUR_MS } from "@shared/contract/constants.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CCXT_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { CandleCache } from "./candle-cache.ts";
import { CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { CandleRequest, MarketData } from "./market-data.ts";

const NOW = Date.UTC(2026, 10, 20, 13, 37, 12);
const candles = { subject: "candles" } as const;

let exchange: FakeExchange;
let market: CandleCache;
let clock = NOW;

beforeAll(async () => {
  exchange = await startFakeExchange({ now: () => clock });
});
afterAll(() => exchange.close());
beforeEach(async () => {
  exchange.reset();
  clock = NOW;
  const now = () => clock;
  const source = new CcxtMarketData({
    exchangeId: "binance",
    baseUrl: exchange.url,
    now,
    logger: silentLogger,
    limits: CCXT_LIMITS.generous,
    pace: false,
  });
  market = new CandleCache({ source, now });
});

function request(part: Partial<CandleRequest> = {}): CandleRequest {
  return { symbol: "BTC/USDT", timeframe: "1h", limit: 50, abort: patient(), ...part };
}

describe("asking for the same candles at the same time", () => {
  it("is one fetch for a hundred callers", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => market.candles(request())));
    expect(new Set(all.map((series) => JSON.stringify(series))).size).toBe(1);
    expect(exchange.count(candles)).toBe(1);
  });

  it("gives a caller who wants fewer candles the newest of them", async () => {
    const [many, few] = await Promise.all([
      market.candles(request({ limit: 80 })),
      market.candles(request({ limit: 20 })),
    ]);
    expect(few.candles).toEqual(many.candles.slice(-20));
    expect(exchange.count(candles)).toBe(1);
  });

  it("does not end for the others when one of them gives up", async () => {
    const leaver = new AbortController();
    exchange.behave("slow");
    const left = market.candles(request({ abort: leaver.signal }));
    const stayed = market.candles(request());
    leaver.abort();
    await expect(left).rejects.toMatchObject({ name: "ProviderError", failure: "timeout" });
    expect((await stayed).candles).toHaveLength(50);
    expect(exchange.count(candles)).toBe(1);
  });

  it("ends when all of them give up, and starts again for the next", async () => {
    await market.candles(request({ symbol: "ETH/USDT" }));
    exchange.behave("stalled-headers");
    const leaver = new AbortController();
    const left = [1, 2].map(() => market.candles(request({ abort: leaver.signal })));
    await vi.waitFor(() => expect(exchange.count(candles)).toBe(2), { timeout: 30_000 });
    leaver.abort();
    const outcomes = await Promise.allSettled(left);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    exchange.behave("ok");
    expect((await market.candles(request())).candles).toHaveLength(50);
    expect(exchange.count(candles)).toBe(3);
  });

  it("fails for all of them alike, and is not remembered", async () => {
    exchange.behave("unavailable");
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => market.candles(request())));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(exchange.requests).toHaveLength(1);
    exchange.behave("ok");
    expect((await market.candles(request())).candles).toHaveLength(50);
  });
});

describe("asking again later", () => {
  it("fetches nothing until the next candle closes, and then the new candle", async () => {
    const first = await market.candles(request());
    const closes = Math.ceil(NOW / HOUR_MS) * HOUR_MS;
    clock = closes - 1;
    expect(await market.candles(request())).toEqual(first);
    expect(exchange.count(candles)).toBe(1);
    clock = closes;
    const second = await market.candles(request());
    expect(second.candles.at(-1)?.time).toBe(closes - HOUR_MS);
    expect(second.candles.slice(0, -1)).toEqual(first.candles.slice(1));
    expect(exchange.count(candles)).toBe(2);
  });

  it("fetches when more candles are wanted than are there", async () => {
    await market.candles(request({ limit: 20 }));
    expect((await market.candles(request({ limit: 60 }))).candles).toHaveLength(60);
    await market.candles(request({ limit: 20 }));
    expect(exchange.count(candles)).toBe(2);
  });

  it("retries soon, but not for every caller, when the newest candle was not published yet", async () => {
    exchange.behave("late", candles);
    const early = await market.candles(request());
    exchange.behave("ok");
    clock += 1_000;
    expect(await market.candles(request())).toEqual(early);
    clock += 4_000;
    const complete = await market.candles(request());
    expect(complete.candles.at(-1)?.time).toBe((early.candles.at(-1)?.time ?? 0) + HOUR_MS);
  });

  it("is one fetch for a hundred requests spread over a minute", async () => {
    for (let asked = 0; asked < 100; asked += 1) {
      await market.candles(request());
      clock += 600;
    }
    expect(exchange.count(candles)).toBe(1);
  });

  it("asks again a minute later where fewer candles came than were asked for", async () => {
    exchange.behave("short", candles);
    const few = await market.candles(request({ timeframe: "1d" }));
    exchange.behave("ok");
    clock += 59_000;
    expect(await market.candles(request({ timeframe: "1d" }))).toEqual(few);
    clock += 1_000;
    expect((await market.candles(request({ timeframe: "1d" }))).candles).toHaveLength(50);
  });

  it("asks again at once for a candle that the kept series lacks", async () => {
    exchange.behave("late", candles);
    const early = await market.candles(request());
    exchange.behave("ok");
    const through = (early.candles.at(-1)?.time ?? 0) + 2 * HOUR_MS;
    const waiting = [1, 2].map(() => market.candles(request({ through })));
    const [complete] = await Promise.all(waiting);
    expect(complete?.candles.at(-1)?.time).toBe(through - HOUR_MS);
    expect(await market.candles(request())).toEqual(complete);
    expect(exchange.count(candles)).toBe(2);
  });

  it("keeps symbols and timeframes apart", async () => {
    const series = await Promise.all([
      market.candles(request()),
      market.candles(request({ symbol: "ETH/USDT" })),
      market.candles(request({ timeframe: "5m" })),
    ]);
    expect(new Set(series.map(({ candles }) => candles.at(-1)?.close)).size).toBe(3);
    expect(exchange.count(candles)).toBe(3);
  });
});

describe("a market that closes", () => {
  const FRIDAY_CLOSE = Date.UTC(2026, 10, 20, 22);
  const SUNDAY_OPEN = Date.UTC(2026, 10, 22, 22);
  let asked = 0;

  /** Forex whose provider never has anything newer than Friday's last candle. */
  const forex: MarketData = {
    async candles() {
      asked += 1;
      const time = FRIDAY_CLOSE - HOUR_MS;
      return {
        candles: [{ time, open: 1, high: 1, low: 1, close: 1, volume: 0 }],
        provider: "memory",
        data: "live",
        notes: [],
        market: { hours: "forex", delayMs: 0 },
      };
    },
  };

  it("is asked for again while the last candles of the session are missing", async () => {
    asked = 0;
    const shared = new CandleCache({ source: forex, now: () => clock });
    const lastMinute = request({ symbol: "EUR/USD", timeframe: "1m", limit: 1 });
    for (const minutes of [2, 3, 4, 61, 62]) {
      clock = FRIDAY_CLOSE + minutes * 60_000;
      await shared.candles(lastMinute);
    }
    expect(asked).toBe(4);
    asked = 0;
  });

  it("is not asked for again until it has opened", async () => {
    const shared = new CandleCache({ source: forex, now: () => clock });
    for (const moment of [FRIDAY_CLOSE + HOUR_MS, FRIDAY_CLOSE + 20 * HOUR_MS, SUNDAY_OPEN - 1]) {
      clock = moment;
      await shared.candles(request({ symbol: "EUR/USD", limit: 1 }));
    }
    expect(asked).toBe(1);
    clock = SUNDAY_OPEN;
    await shared.candles(request({ symbol: "EUR/USD", limit: 1 }));
    expect(asked).toBe(2);
  });
});
