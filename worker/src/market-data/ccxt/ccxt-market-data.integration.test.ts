import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { SettingsError } from "@shared/runtime/settings.ts";
import type { ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import {
  FAKE_EXCHANGES,
  type FakeExchange,
  startFakeExchange,
} from "@shared/testing/fakes/fake-exchange.ts";
import { recordedCandles } from "@shared/testing/recorded-candles.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CCXT_LIMITS, patient, silentLogger } from "../../testing/fakes.ts";
import { resample } from "../candles.ts";
import type { CandleRequest } from "../market-data.ts";
import { type CcxtLimits, CcxtMarketData, type CcxtOptions } from "./ccxt-market-data.ts";

const NOW = Date.UTC(2026, 10, 20, 13, 37, 12);
const CRYPTO = PRODUCT_SYMBOLS.filter((symbol) => symbol.endsWith("/USDT"));

let exchange: FakeExchange;
let clock = NOW;

beforeAll(async () => {
  exchange = await startFakeExchange({ now: () => clock });
});
afterAll(() => exchange.close());
beforeEach(() => {
  exchange.reset();
  clock = NOW;
});

function provider(exchangeId: string, options: Partial<CcxtOptions> = {}): CcxtMarketData {
  return new CcxtMarketData({
    exchangeId,
    baseUrl: exchange.url,
    now: () => clock,
    logger: silentLogger,
    limits: CCXT_LIMITS.generous,
    pace: false,
    ...options,
  });
}

function request(part: Partial<CandleRequest> = {}): CandleRequest {
  return { symbol: "BTC/USDT", timeframe: "1h", limit: 50, abort: patient(), ...part };
}

/** What the fake exchange shows, computed without any client. `served` is shorter if the exchange lacks the timeframe. */
function expected({ symbol, timeframe, limit }: CandleRequest, served: Timeframe = timeframe) {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const openTime = Math.floor(clock / lengthMs) * lengthMs;
  const count = (limit * lengthMs) / TIMEFRAME_MS[served];
  const from = openTime - limit * lengthMs;
  const parts = recordedCandles({ symbol, timeframe: served, from, count });
  return resample(parts, { from: served, to: timeframe });
}

/** Those that open when one of `others` does. */
function sameTimes(candles: readonly Candle[], others: readonly Candle[]): Candle[] {
  const times = new Set(others.map(({ time }) => time));
  return candles.filter(({ time }) => times.has(time));
}

describe("candles of the first exchange", () => {
  let binance: CcxtMarketData;
  beforeAll(() => {
    binance = provider("binance");
  });

  it.each(CRYPTO.flatMap((symbol) => TIMEFRAMES.map((timeframe) => ({ symbol, timeframe }))))(
    "brings $symbol at $timeframe, closed candles only",
    async ({ symbol, timeframe }) => {
      const asked = request({ symbol, timeframe });
      const series = await binance.candles(asked);
      expect(series).toEqual({
        candles: expected(asked),
        provider: "binance",
        data: "live",
        notes: [],
      });
    },
  );
});

describe.each(FAKE_EXCHANGES)("%s", (exchangeId) => {
  /** One for all tests that do not look at its list of markets: to make one takes longer than to ask it. */
  let known: CcxtMarketData;
  beforeAll(() => {
    known = provider(exchangeId);
  });

  it("brings every timeframe, with one request for its markets", async () => {
    const market = provider(exchangeId);
    for (const timeframe of TIMEFRAMES) {
      const asked = request({ symbol: "ETH/USDT", timeframe });
      const { candles } = await market.candles(asked);
      const served = exchange.requests.at(-1)?.timeframe;
      expect(candles, timeframe).toEqual(expected(asked, served));
    }
    expect(exchange.count({ subject: "markets" })).toBe(1);
    expect(exchange.requests.map((asked) => asked.exchange)).toEqual(
      new Array(TIMEFRAMES.length + 1).fill(exchangeId),
    );
  });

  it.each([301, 501, 700])("brings %i candles, in pages where it must", async (limit) => {
    const asked = request({ timeframe: "5m", limit });
    expect((await known.candles(asked)).candles).toEqual(expected(asked));
  });

  it.each(["gaps", "quiet"] as const)("fills time without trades: %s", async (behaviour) => {
    exchange.behave(behaviour, { subject: "candles" });
    const asked = request({ timeframe: "5m", limit: 300 });
    const { candles } = await known.candles(asked);
    const complete = expected(asked);
    expect(candles.map(({ time }) => time)).toEqual(complete.map(({ time }) => time));
    const traded = candles.filter(({ volume }) => volume > 0);
    expect(sameTimes(complete, traded)).toEqual(traded);
    expect(traded.length).toBeLessThan(230);
    expect(traded.length).toBeGreaterThan(80);
  });

  it.each(["broken-row", "doubled"] as const)("takes what is usable: %s", async (behaviour) => {
    exchange.behave(behaviour, { subject: "candles" });
    const asked = request({ limit: 200, withOpen: true });
    const { candles, open } = await known.candles(asked);
    const complete = expected(asked);
    expect(candles.map(({ time }) => time)).toEqual(complete.map(({ time }) => time));
    const same = candles.filter(({ close }, index) => close === complete[index]?.close);
    expect(same.length).toBeGreaterThan(197);
    expect(open === undefined).toBe(behaviour === "broken-row");
  });

  it.each<[ServiceBehaviour, string, CcxtLimits?]>([
    ["down", "unreachable"],
    ["stalled-body", "timeout", CCXT_LIMITS.stalledMarkets],
    ["unavailable", "refused"],
    ["html", "nonsense"],
    ["garbage", "nonsense"],
    ["empty", "nonsense"],
  ])(
    "recovers from a list of markets that came %s",
    async (behaviour, failure, limits = CCXT_LIMITS.generous) => {
      const market = provider(exchangeId, { limits });
      exchange.behave(behaviour, { subject: "markets" });
      await expect(market.candles(request())).rejects.toMatchObject({ failure });
      exchange.reset();
      expect((await market.candles(request())).candles).toHaveLength(50);
    },
  );

  it("does not know a symbol that it does not list, and sends no request for its candles", async () => {
    await expect(known.candles(request({ symbol: "NOPE/USDT" }))).rejects.toMatchObject({
      failure: "unknown-symbol",
    });
    expect(exchange.count({ subject: "candles" })).toBe(0);
  });

  it("brings what there is of a feed that stopped", async () => {
    exchange.behave("stale", { subject: "candles" });
    const { candles } = await known.candles(request({ limit: 200 }));
    expect(candles.at(-1)?.time).toBeLessThan(expected(request()).at(-5)?.time ?? 0);
    const last = candles.slice(-100);
    expect(sameTimes(expected(request({ limit: 200 })), last)).toEqual(last);
  });

  it("still has as many candles as asked when the newest is published late", async () => {
    exchange.behave("late");
    const { candles } = await known.candles(request({ limit: 50 }));
    expect(candles).toHaveLength(50);
    expect(candles.at(-1)?.time).toBe(expected(request()).at(-2)?.time);
  });
});

describe("whatever the exchange", () => {
  it("ends at once when the caller gives up, and says so", async () => {
    const market = provider("binance");
    await market.candles(request());
    exchange.behave("stalled-headers");
    const caller = new AbortController();
    const candles = market.candles(request({ timeframe: "5m", abort: caller.signal }));
    caller.abort();
    await expect(candles).rejects.toMatchObject({ failure: "timeout" });
  });

  // KuCoin only gives candles of a time that is named.
  it.each(["binance", "bybit", "okx", "kraken"])(
    "brings the last of a feed of %s that stopped long before the time that was asked for",
    async (exchangeId) => {
      exchange.behave("stopped", { subject: "candles" });
      const { candles } = await provider(exchangeId).candles(request({ timeframe: "5m" }));
      const ageMs = clock - (candles.at(-1)?.time ?? 0);
      expect(candles).toHaveLength(50);
      expect(Math.round(ageMs / TIMEFRAME_MS["5m"] / 10)).toBe(100);
    },
  );

  it("goes on loading markets for the others when the caller who started it gives up", async () => {
    const market = provider("binance");
    exchange.behave("slow", { subject: "markets" });
    const leaver = new AbortController();
    const left = market.candles(request({ abort: leaver.signal }));
    const stayed = market.candles(request());
    leaver.abort();
    await expect(left).rejects.toMatchObject({ failure: "timeout" });
    expect((await stayed).candles).toHaveLength(50);
    expect(exchange.count({ subject: "markets" })).toBe(1);
  });

  it("is unreachable if no server listens", async () => {
    const market = provider("kraken", { baseUrl: `http://127.0.0.1:${await freePort()}` });
    await expect(market.candles(request())).rejects.toMatchObject({ failure: "unreachable" });
    expect(await market.isReachable(patient())).toBe(false);
  });

  it.each<[ServiceBehaviour, boolean]>([
    ["ok", true],
    ["unavailable", true],
    ["html", true],
    ["down", false],
  ])("counts an exchange that is %s as reachable: %s", async (behaviour, reachable) => {
    const market = provider("okx");
    exchange.behave(behaviour);
    expect(await market.isReachable(patient())).toBe(reachable);
  });

  it("notices that a known exchange has become unreachable", async () => {
    const market = provider("okx");
    expect(await market.isReachable(patient())).toBe(true);
    exchange.behave("down");
    expect(await market.isReachable(patient())).toBe(false);
  });

  it("refuses an answer that is too big", async () => {
    const tiny = { ...CCXT_LIMITS.generous.candles, maxBytes: 100 };
    const market = provider("binance", { limits: { candles: tiny, markets: tiny } });
    await expect(market.candles(request())).rejects.toMatchObject({ failure: "nonsense" });
  });

  it("asks for a new list of markets after some hours, and keeps the old one if that fails", async () => {
    const market = provider("binance");
    await market.candles(request());
    clock += 7 * 3_600_000;
    exchange.behave("unavailable", { subject: "markets" });
    expect((await market.candles(request())).candles).toEqual(expected(request()));
    await vi.waitFor(() => expect(exchange.count({ subject: "markets" })).toBe(2), {
      timeout: 30_000,
    });
    expect((await market.candles(request())).candles).toHaveLength(50);
  });

  it("brings currency pairs from kraken, and lists them", async () => {
    const market = provider("kraken");
    for (const symbol of ["EUR/USD", "GBP/USD", "AUD/USD", "USD/JPY"]) {
      const asked = request({ symbol });
      expect((await market.candles(asked)).candles, symbol).toEqual(expected(asked));
    }
    expect(await market.symbols(patient())).toEqual(
      expect.arrayContaining(["EUR/USD", "BTC/USDT"]),
    );
  });

  it.each(["SPX500", "US30", "XAU/USD", "WTI"])("never takes a coin for %s", (symbol) => {
    expect(provider("binance").covers(symbol)).toBe(false);
    expect(provider("kraken").covers(symbol)).toBe(false);
  });

  it("keeps the path of a base address in front of the exchange's own", async () => {
    const market = provider("binance", { baseUrl: `${exchange.url}/gateway/` });
    await expect(market.candles(request())).rejects.toMatchObject({ failure: "refused" });
    expect(exchange.requests).toEqual([]);
  });

  it("names an exchange that does not exist", () => {
    expect(() => provider("nosuchexchange")).toThrow(SettingsError);
    expect(() => provider("Exchange")).toThrow('EXCHANGES: "Exchange" is not a ccxt exchange id');
  });
});
