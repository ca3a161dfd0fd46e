import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { instrumentClass, PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { SettingsError } from "@shared/runtime/settings.ts";
import type { FakeCandleApi, ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { FAKE_OANDA_TOKEN, startFakeOanda } from "@shared/testing/fakes/fake-oanda.ts";
import { startFakeYahoo } from "@shared/testing/fakes/fake-yahoo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { blockFor, CCXT_LIMITS, GUARD_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import type { CandleRequest } from "./market-data.ts";
import {
  createMarketData,
  type MarketDataLimits,
  type MarketDataSelection,
} from "./select-market-data.ts";

/** A Wednesday on which every market is open. */
const WEDNESDAY = Date.UTC(2026, 10, 18, 16, 37, 12);

let exchange: FakeExchange;
let oanda: FakeCandleApi;
let yahoo: FakeCandleApi;
let clock = WEDNESDAY;
let selection: MarketDataSelection | undefined;

beforeAll(async () => {
  const now = () => clock;
  exchange = await startFakeExchange({ now });
  oanda = await startFakeOanda({ now });
  yahoo = await startFakeYahoo({ now });
});
afterAll(() => Promise.all([exchange, oanda, yahoo].map((standIn) => standIn.close())));
beforeEach(() => {
  clock = WEDNESDAY;
  for (const standIn of [exchange, oanda, yahoo]) standIn.reset();
});
afterEach(() => selection?.close());

async function select(
  mode: "live" | "replay" | "auto",
  options: { limits?: MarketDataLimits; exchanges?: string[]; token?: string } = {},
): Promise<MarketDataSelection> {
  selection = await createMarketData({
    settings: {
      MARKET_DATA: mode,
      EXCHANGES: options.exchanges ?? ["binance", "kraken"],
      EXCHANGE_URL: exchange.url,
      OANDA_TOKEN: options.token,
      OANDA_URL: oanda.url,
      YAHOO_URL: yahoo.url,
    },
    now: () => clock,
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
    const market = await select("live");
    expect(market.currentSource()).toBe("live");
    expect(await market.marketData.candles(request())).toMatchObject({ data: "live", notes: [] });
    const { symbols } = await market.listedSymbols();
    expect(symbols).toEqual(expect.arrayContaining([...PRODUCT_SYMBOLS]));
    expect(new Set(symbols).size).toBe(symbols.length);
  });

  it("stays live where no provider can be reached, and fails", async () => {
    const market = await select("live");
    exchange.behave("down");
    await market.probe();
    expect(market.currentSource()).toBe("live");
    await expect(market.marketData.candles(request())).rejects.toMatchObject({
      failure: "unreachable",
    });
    expect(await market.listedSymbols()).toEqual({
      symbols: [...PRODUCT_SYMBOLS],
      missing: ["binance", "kraken"],
    });
  });

  it.each<[string, string | undefined]>([
    ["with a token for OANDA", FAKE_OANDA_TOKEN],
    ["without one", undefined],
  ])("brings all symbols of the product at all 7 timeframes, %s", async (_, token) => {
    const { marketData } = await select("live", token ? { token } : {});
    const crypto = PRODUCT_SYMBOLS.filter((symbol) => symbol.endsWith("/USDT"));
    const forex = ["EUR/USD", "GBP/USD", "AUD/USD", "USD/JPY"];
    const providerOf = (symbol: string) => {
      if (crypto.some((coin) => coin === symbol)) return "binance";
      if (token && instrumentClass(symbol) !== "stocks") return "oanda";
      return forex.includes(symbol) ? "kraken" : "yahoo";
    };
    for (const symbol of PRODUCT_SYMBOLS) {
      for (const timeframe of TIMEFRAMES) {
        const { candles, provider, data } = await marketData.candles(
          request({ symbol, timeframe, limit: 60 }),
        );
        const found = { symbol, timeframe, provider, data, count: candles.length };
        expect(found).toEqual({
          symbol,
          timeframe,
          provider: providerOf(symbol),
          data: "live",
          count: 60,
        });
      }
    }
  });

  it("goes on to the next provider of a currency pair when one fails", async () => {
    const { marketData } = await select("live", { token: FAKE_OANDA_TOKEN });
    const pair = (timeframe: CandleRequest["timeframe"]) =>
      marketData.candles(request({ symbol: "EUR/USD", timeframe }));
    oanda.behave("unavailable");
    expect(await pair("1h")).toMatchObject({ provider: "kraken" });
    exchange.behave("html", { exchange: "kraken" });
    expect(await pair("5m")).toMatchObject({ provider: "yahoo" });
  });

  it("has the trading hours of the provider that delivered", async () => {
    const index = request({ symbol: "US30" });
    expect((await (await select("live")).marketData.candles(index)).market?.hours).toBe(
      "us-stocks",
    );
    const withOanda = await select("live", { token: FAKE_OANDA_TOKEN });
    expect((await withOanda.marketData.candles(index)).market?.hours).toBe("futures");
  });

  it("brings Friday's candles on a Saturday, once for all who ask until the market opens", async () => {
    const { marketData } = await select("live");
    clock = Date.UTC(2026, 10, 21, 12);
    for (let hour = 0; hour < 5; hour += 1) {
      const { candles } = await marketData.candles(request({ symbol: "XAU/USD" }));
      expect(new Date(candles.at(-1)?.time ?? 0)).toEqual(new Date(Date.UTC(2026, 10, 20, 21)));
      clock += 3_600_000;
    }
    expect(yahoo.requests).toHaveLength(1);
  });

  it("costs one request if a hundred signals are asked for within a minute", async () => {
    const { marketData } = await select("live");
    for (let asked = 0; asked < 100; asked += 1) {
      await marketData.candles(request({ limit: 300 }));
      clock += 600;
    }
    expect(exchange.count({ subject: "candles" })).toBe(1);
  });

  it("shares one fetch among all who ask at the same time", async () => {
    const { marketData } = await select("live");
    await Promise.all(Array.from({ length: 100 }, () => marketData.candles(request())));
    expect(exchange.count({ subject: "candles" })).toBe(1);
  });

  it("reports the health of its providers", async () => {
    const market = await select("live");
    exchange.behave("html", { exchange: "binance" });
    await market.marketData.candles(request());
    expect(market.health()).toMatchObject([
      { provider: "binance", state: "failing", lastFailure: { failure: "nonsense" } },
      { provider: "kraken", state: "ok" },
      { provider: "yahoo", state: "ok" },
    ]);
  });

  it("refuses an exchange that does not exist", async () => {
    const misspelled = select("live", { exchanges: ["binance", "bynance"] });
    await expect(misspelled).rejects.toThrow(SettingsError);
  });
});

describe("replay", () => {
  it("asks no exchange at all", async () => {
    const market = await select("replay");
    await market.probe();
    expect(market.currentSource()).toBe("replay");
    const series = await market.marketData.candles(request());
    expect(series).toMatchObject({
      data: "replay",
      notes: [expect.stringMatching(/^Demo data: /)],
    });
    expect((await market.listedSymbols()).symbols).toEqual(
      expect.arrayContaining([...PRODUCT_SYMBOLS]),
    );
    expect(market.health()).toEqual([]);
    expect(exchange.requests).toEqual([]);
  });

  it("has no live providers to probe or to log", async () => {
    const info = vi.spyOn(silentLogger, "info");
    const repeating = vi.spyOn(globalThis, "setInterval");
    await (await select("replay")).probe();
    expect(info).not.toHaveBeenCalled();
    expect(repeating).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe("auto", () => {
  it("finds providers that answered while this process was too busy to notice", async () => {
    const market = await select("auto", { limits: { probeTimeoutMs: 800 } });
    const probing = market.probe();
    blockFor(1_000);
    await probing;
    expect(market.currentSource()).toBe("live");
  });

  it("is live where an exchange can be reached", async () => {
    const market = await select("auto");
    exchange.behave("down", { exchange: "binance" });
    await market.probe();
    expect(market.currentSource()).toBe("live");
    expect(await market.marketData.candles(request())).toMatchObject({ provider: "kraken" });
  });

  it.each<[ServiceBehaviour, MarketDataLimits]>([
    ["down", {}],
    ["stalled-headers", { probeTimeoutMs: 80 }],
  ])("is replay where every exchange is %s, at no cost to a request", async (behaviour, limits) => {
    const market = await select("auto", { limits });
    exchange.behave(behaviour);
    await market.probe();
    expect(market.currentSource()).toBe("replay");
    const asked = exchange.requests.length;
    expect(await market.marketData.candles(request())).toMatchObject({ data: "replay" });
    expect(exchange.requests).toHaveLength(asked);
    expect((await market.listedSymbols()).symbols).toEqual(
      expect.arrayContaining([...PRODUCT_SYMBOLS]),
    );
  });

  it.each<[ServiceBehaviour, string]>([
    ["rate-limited", "rate-limited"],
    ["unavailable", "refused"],
    ["blocked", "refused"],
    ["html", "nonsense"],
    ["garbage", "nonsense"],
    ["empty", "nonsense"],
  ])("fails where an exchange answers, but is %s: it was reached", async (behaviour, failure) => {
    const market = await select("auto");
    exchange.behave(behaviour);
    exchange.behave("down", { exchange: "kraken" });
    await market.probe();
    expect(market.currentSource()).toBe("live");
    await expect(market.marketData.candles(request())).rejects.toMatchObject({ failure });
  });

  it("fails where an exchange begins an answer that does not end", async () => {
    const market = await select("auto", { limits: { ccxt: CCXT_LIMITS.stalledBody } });
    await market.probe();
    exchange.behave("stalled-body", { subject: "candles" });
    await expect(market.marketData.candles(request())).rejects.toMatchObject({
      failure: "timeout",
    });
    expect(market.currentSource()).toBe("live");
  });

  it("goes over to replay within the request during which the network is lost", async () => {
    const market = await select("auto");
    await market.probe();
    await market.marketData.candles(request());
    exchange.behave("down");
    expect(await market.marketData.candles(request({ timeframe: "5m" }))).toMatchObject({
      data: "replay",
    });
    expect(market.currentSource()).toBe("replay");
  });

  it("notices by itself that the network is lost, and that it is back", async () => {
    const market = await select("auto", { limits: { probeIntervalMs: 20 } });
    await market.probe();
    exchange.behave("down");
    await vi.waitFor(() => expect(market.currentSource()).toBe("replay"), { timeout: 30_000 });
    exchange.behave("ok");
    await vi.waitFor(() => expect(market.currentSource()).toBe("live"), { timeout: 30_000 });
    expect(await market.marketData.candles(request())).toMatchObject({ data: "live" });
  });

  it("probes with the first request if it was not probed before", async () => {
    const market = await select("auto");
    expect(await market.marketData.candles(request())).toMatchObject({ data: "live" });
    expect(market.currentSource()).toBe("live");
  });

  it("replays, and says so, the kinds of markets for which no provider can be reached", async () => {
    const market = await select("auto");
    yahoo.behave("down");
    await market.probe();
    const series = await market.marketData.candles(request({ symbol: "XAU/USD" }));
    expect(series).toMatchObject({
      data: "replay",
      notes: [expect.stringMatching(/^Demo data: /)],
    });
    expect(await market.marketData.candles(request({ symbol: "EUR/USD" }))).toMatchObject({
      provider: "kraken",
    });
    expect(market.currentSource()).toBe("live");
  });

  it("is replay for crypto, and says so, though gold can be had", async () => {
    const market = await select("auto");
    exchange.behave("down");
    await market.probe();
    expect(market.currentSource()).toBe("replay");
    expect(await market.marketData.candles(request())).toMatchObject({ data: "replay" });
    const gold = await market.marketData.candles(request({ symbol: "XAU/USD" }));
    expect(gold).toMatchObject({ data: "live", provider: "yahoo" });
  });

  it.each(["NOPE/USDT", "NOPE"])("does not know %s", async (symbol) => {
    const market = await select("auto");
    await expect(market.marketData.candles(request({ symbol }))).rejects.toMatchObject({
      failure: "unknown-symbol",
    });
  });

  it("ends at once when the caller gives up, without replay", async () => {
    const market = await select("auto");
    await market.probe();
    exchange.behave("stalled-headers");
    const caller = new AbortController();
    const candles = market.marketData.candles(request({ abort: caller.signal }));
    caller.abort();
    await expect(candles).rejects.toMatchObject({ name: "ProviderError", failure: "timeout" });
  });
});
