import { describe, expect, it } from "vitest";
import {
  findInstrument,
  INSTRUMENT_CLASSES,
  INSTRUMENTS,
  instrumentClass,
  SYMBOL_SUGGESTIONS,
} from "./instruments.ts";
import { symbolSchema } from "./market-data.ts";

describe("the product's instruments", () => {
  it("contain the suggestions, which are the specified ones in their order", () => {
    expect(SYMBOL_SUGGESTIONS.join(", ")).toBe(
      "BTC/USDT, ETH/USDT, BNB/USDT, ADA/USDT, SOL/USDT, XRP/USDT, LTC/USDT, DOGE/USDT, " +
        "XAU/USD, XAG/USD, EUR/USD, GBP/USD, AUD/USD, USD/JPY, US30, NAS100, SPX500, WTI, BRENT",
    );
  });

  it("are named as requests may name them", () => {
    expect(INSTRUMENTS.filter(({ symbol }) => symbolSchema.parse(symbol) !== symbol)).toEqual([]);
  });

  it.each(INSTRUMENTS)("$symbol has a tick of one in its last decimal", ({ tick, decimals }) => {
    expect(tick).toBe(Number((10 ** -decimals).toFixed(decimals)));
  });

  it.each(INSTRUMENTS.filter(({ symbol }) => symbol.includes("/")))(
    "$symbol is named after base and quote",
    ({ symbol, base, quote }) => expect(`${base}/${quote}`).toBe(symbol),
  );

  it.each(INSTRUMENTS)(
    "$symbol has a provider, and only those that list the real market",
    (one) => {
      const isCrypto = one.class === "crypto";
      const isAtOanda = !isCrypto && one.class !== "stocks";
      expect(one.exchanges === undefined).toBe(isCrypto);
      expect(one.oanda !== undefined).toBe(isAtOanda);
      expect(one.yahoo === undefined).toBe(isCrypto);
      expect(one.hours === "always").toBe(isCrypto);
      expect(one.contract === undefined).toBe(isCrypto);
    },
  );

  it("have different names at each provider", () => {
    for (const name of ["oanda", "tradingView"] as const) {
      const names = INSTRUMENTS.flatMap((one) => one[name] ?? []);
      expect(new Set(names).size).toBe(names.length);
    }
    const tickers = INSTRUMENTS.flatMap(({ yahoo }) => yahoo?.ticker ?? []);
    expect(new Set(tickers).size).toBe(tickers.length);
  });

  it.each([
    ["EUR/USD", "EUR_USD", "EURUSD=X"],
    ["USD/JPY", "USD_JPY", "USDJPY=X"],
    ["XAU/USD", "XAU_USD", "GC=F"],
    ["XAG/USD", "XAG_USD", "SI=F"],
    ["US30", "US30_USD", "^DJI"],
    ["NAS100", "NAS100_USD", "^NDX"],
    ["SPX500", "SPX500_USD", "^GSPC"],
    ["WTI", "WTICO_USD", "CL=F"],
    ["BRENT", "BCO_USD", "BZ=F"],
  ])("%s is %s at OANDA and %s at Yahoo", (symbol, oanda, ticker) => {
    expect(findInstrument(symbol)).toMatchObject({ oanda, yahoo: { ticker } });
  });

  it.each([
    ["AAPL", "Apple"],
    ["MSFT", "Microsoft"],
  ])("%s is a stock of Nasdaq, counted in shares and known to Yahoo only", (symbol, name) => {
    expect(findInstrument(symbol)).toEqual({
      symbol,
      name,
      class: "stocks",
      isSuggested: false,
      base: symbol,
      quote: "USD",
      decimals: 2,
      tick: 0.01,
      hours: "us-stocks",
      exchanges: [],
      yahoo: { ticker: symbol, hours: "us-stocks" },
      tradingView: `NASDAQ:${symbol}`,
      unit: `1 share of ${name}`,
      contract: "Not every broker sells fractions of a share; check yours.",
    });
  });

  it("of one class are traded at the same hours", () => {
    for (const kind of INSTRUMENT_CLASSES) {
      const hours = INSTRUMENTS.filter((one) => one.class === kind).map((one) => one.hours);
      expect(new Set(hours).size, kind).toBe(1);
    }
  });
});

describe("any other symbol", () => {
  it.each(["PEPE/USDT", "EUR/GBP", "XAUT/USDT"])("%s is a market of crypto exchanges", (symbol) => {
    expect(findInstrument(symbol)).toBeUndefined();
    expect(instrumentClass(symbol)).toBe("crypto");
  });

  it("is not confused with inherited property names", () => {
    expect(findInstrument("constructor")).toBeUndefined();
  });
});
