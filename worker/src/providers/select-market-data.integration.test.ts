import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { SettingsError } from "@shared/node/settings.ts";
import { type StandInExchange, startStandInExchange } from "@shared/testing/stand-in-exchange.ts";
import type { ExchangeBehaviour } from "@shared/testing/stand-in-exchange-behaviour.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { CandleRequest } from "./market-data.ts";
import {
  createMarketData,
  type MarketDataLimits,
  type MarketDataSelection,
} from "./select-market-data.ts";
import { CCXT_LIMITS, GUARD_LIMITS, patient, silentLogger } from "./testing/quick-limits.ts";

let exchange: StandInExchange;
let selection: MarketDataSelection | undefined;

beforeAll(async () => {
  exchange = await startStandInExchange();
});
afterAll(() => exchange.close());
beforeEach(() => exchange.reset());
afterEach(() => selection?.close());

function select(
  mode: "live" | "replay" | "auto",
  options: { limits?: MarketDataLimits; exchanges?: string[] } = {},
): MarketDataSelection {
  selection = createMarketData({
    settings: {
      MARKET_DATA: mode,
      EXCHANGES: options.exchanges ?? ["binance", "kraken"],
      EXCHANGE_URL: exchange.url,
    },
    now: Date.now,
    logger: silentLogger,
    pace: false,
    limits: { ccxt: CCXT_LIMITS.generous, guard: GUARD_LIMITS, ...options.limits },
  });
  return selection;
}

function request(part: Partial<CandleRequest> = {}): CandleRequest {
  return { symbol: "BTC/USDT", timeframe: "1h", limit: 50, abort: patient(), ...part };
}

describe("live", () => {
  it("brings live candles, and lists what the exchanges trade beside the product's own symbols", async () => {
    const market = select("live");
    expect(market.currentSource()).toBe("live");
    expect(await market.marketData.candles(request())).toMatchObject({ data: "live", notes: [] });
    const symbols = await market.listedSymbols();
    expect(symbols).toEqual(expect.arrayContaining([...SYMBOL_SUGGESTIONS]));
    expect(new Set(symbols).size).toBe(symbols.length);
  });

  it("stays live where nobody can be reached, and fails", async () => {
    const market = select("live");
    exchange.behave("down");
    await market.probe();
    expect(market.currentSource()).toBe("live");
    await expect(market.marketData.candles(request())).rejects.toMatchObject({
      failure: "unreachable",
    });
    expect(await market.listedSymbols()).toEqual([...SYMBOL_SUGGESTIONS]);
  });

  it("has no candles of a metal, an index or oil", async () => {
    const { marketData } = select("live");
    for (const symbol of ["XAU/USD", "US30", "SPX500", "WTI"]) {
      await expect(marketData.candles(request({ symbol })), symbol).rejects.toMatchObject({
        failure: "unknown-symbol",
      });
    }
  });

  it("shares one fetch among all who ask at the same time", async () => {
    const { marketData } = select("live");
    await Promise.all(Array.from({ length: 100 }, () => marketData.candles(request())));
    expect(exchange.count({ subject: "candles" })).toBe(1);
  });

  it("tells how its providers are doing", async () => {
    const market = select("live");
    exchange.behave("html", { exchange: "binance" });
    await market.marketData.candles(request());
    expect(market.health()).toMatchObject([
      { provider: "binance", state: "failing", lastFailure: { failure: "nonsense" } },
      { provider: "kraken", state: "ok" },
    ]);
  });

  it("refuses an exchange that does not exist", () => {
    expect(() => select("live", { exchanges: ["binance", "bynance"] })).toThrow(SettingsError);
  });
});

describe("replay", () => {
  it("asks no exchange at all", async () => {
    const market = select("replay");
    await market.probe();
    expect(market.currentSource()).toBe("replay");
    const series = await market.marketData.candles(request());
    expect(series).toMatchObject({
      data: "replay",
      notes: [expect.stringMatching(/^Demo data: /)],
    });
    expect(await market.listedSymbols()).toEqual(expect.arrayContaining([...SYMBOL_SUGGESTIONS]));
    expect(market.health()).toEqual([]);
    expect(exchange.requests).toEqual([]);
  });
});

describe("auto", () => {
  it("is live where an exchange can be reached", async () => {
    const market = select("auto");
    exchange.behave("down", { exchange: "binance" });
    await market.probe();
    expect(market.currentSource()).toBe("live");
    expect(await market.marketData.candles(request())).toMatchObject({ provider: "kraken" });
  });

  it.each<[ExchangeBehaviour, MarketDataLimits]>([
    ["down", {}],
    ["stalled-headers", { probeTimeoutMs: 80 }],
  ])("is replay where every exchange is %s, at no cost to a request", async (behaviour, limits) => {
    const market = select("auto", { limits });
    exchange.behave(behaviour);
    await market.probe();
    expect(market.currentSource()).toBe("replay");
    const asked = exchange.requests.length;
    expect(await market.marketData.candles(request())).toMatchObject({ data: "replay" });
    expect(exchange.requests).toHaveLength(asked);
    expect(await market.listedSymbols()).toEqual(expect.arrayContaining([...SYMBOL_SUGGESTIONS]));
  });

  it.each<[ExchangeBehaviour, string]>([
    ["rate-limited", "rate-limited"],
    ["unavailable", "refused"],
    ["blocked", "refused"],
    ["html", "nonsense"],
    ["garbage", "nonsense"],
    ["empty", "nonsense"],
  ])("fails where an exchange answers, but is %s: it was reached", async (behaviour, failure) => {
    const market = select("auto");
    exchange.behave(behaviour);
    exchange.behave("down", { exchange: "kraken" });
    await market.probe();
    expect(market.currentSource()).toBe("live");
    await expect(market.marketData.candles(request())).rejects.toMatchObject({ failure });
  });

  it("fails where an exchange begins an answer that does not end", async () => {
    const market = select("auto", { limits: { ccxt: CCXT_LIMITS.stalledBody } });
    await market.probe();
    exchange.behave("stalled-body", { subject: "candles" });
    await expect(market.marketData.candles(request())).rejects.toMatchObject({
      failure: "timeout",
    });
    expect(market.currentSource()).toBe("live");
  });

  it("goes over to replay within the request during which the network is lost", async () => {
    const market = select("auto");
    await market.probe();
    await market.marketData.candles(request());
    exchange.behave("down");
    expect(await market.marketData.candles(request({ timeframe: "5m" }))).toMatchObject({
      data: "replay",
    });
    expect(market.currentSource()).toBe("replay");
  });

  it("notices by itself that the network is lost, and that it is back", async () => {
    const market = select("auto", { limits: { probeIntervalMs: 20 } });
    await market.probe();
    exchange.behave("down");
    await vi.waitFor(() => expect(market.currentSource()).toBe("replay"));
    exchange.behave("ok");
    await vi.waitFor(() => expect(market.currentSource()).toBe("live"));
    expect(await market.marketData.candles(request())).toMatchObject({ data: "live" });
  });

  it("finds out by the first request where nobody has asked it to before", async () => {
    const market = select("auto");
    expect(await market.marketData.candles(request())).toMatchObject({ data: "live" });
    expect(market.currentSource()).toBe("live");
  });

  it("replays, and says so, what no live provider deals in", async () => {
    const market = select("auto");
    await market.probe();
    const series = await market.marketData.candles(request({ symbol: "XAU/USD" }));
    expect(series).toMatchObject({
      data: "replay",
      notes: [expect.stringMatching(/^Demo data: /)],
    });
    expect(await market.marketData.candles(request({ symbol: "EUR/USD" }))).toMatchObject({
      provider: "kraken",
    });
  });

  it.each(["NOPE/USDT", "NOPE"])("does not know %s", async (symbol) => {
    const market = select("auto");
    await expect(market.marketData.candles(request({ symbol }))).rejects.toMatchObject({
      failure: "unknown-symbol",
    });
  });

  it("ends at once when the caller gives up, without replay", async () => {
    const market = select("auto");
    await market.probe();
    exchange.behave("stalled-headers");
    const caller = new AbortController();
    const candles = market.marketData.candles(request({ abort: caller.signal }));
    caller.abort();
    await expect(candles).rejects.toMatchObject({ name: "ProviderError", failure: "timeout" });
  });
});
