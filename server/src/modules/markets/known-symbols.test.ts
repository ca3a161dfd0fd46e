import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { describe, expect, it } from "vitest";
import { suggestSymbols } from "./known-symbols.ts";

const KNOWN = [...PRODUCT_SYMBOLS, "BTC/USD", "BTC/USDC", "ETH/BTC", "PEPE/USDT", "SPX/USDT"];

describe("symbols that an unknown one may have been meant for", () => {
  it.each([
    ["BTCUSDT", "BTC/USDT"],
    ["BTC-USDT", "BTC/USDT"],
    ["BTC/USDD", "BTC/USDT"],
    ["BTC", "BTC/USDT"],
    ["BITCOIN", "BTC/USDT"],
    ["BTC/UDST", "BTC/USDT"],
    ["GOLD", "XAU/USD"],
    ["XAUUSD", "XAU/USD"],
    ["SILVER", "XAG/USD"],
    ["EURUSD", "EUR/USD"],
    ["EUR-USD", "EUR/USD"],
    ["SPX", "SPX500"],
    ["SP500", "SPX500"],
    ["US500", "SPX500"],
    ["NASDAQ", "NAS100"],
    ["DOW", "US30"],
    ["CRUDE", "WTI"],
    ["BRNT", "BRENT"],
    ["PEPEUSDT", "PEPE/USDT"],
    ["GBP/USDT", "GBP/USD"],
    ["BT", "BTC/USDT"],
    ["EU", "EUR/USD"],
    ["GOL", "XAU/USD"],
    ["APP", "AAPL"],
  ])("%s: first %s", (asked, first) => {
    expect(suggestSymbols(asked, KNOWN)[0]).toBe(first);
  });

  it("are three at most, best first", () => {
    expect(suggestSymbols("BTC/USDD", KNOWN)).toEqual(["BTC/USDT", "BTC/USD", "BTC/USDC"]);
    expect(suggestSymbols("OIL", KNOWN).slice(0, 2)).toEqual(["WTI", "BRENT"]);
  });

  it.each(["NOPE/NOPE", "QWERTYUIOP", "--", "./"])("are none for %s", (asked) => {
    expect(suggestSymbols(asked, KNOWN)).toEqual([]);
  });

  it("are only those that are known", () => {
    expect(suggestSymbols("GOLD", ["BTC/USDT"])).toEqual([]);
  });
});
