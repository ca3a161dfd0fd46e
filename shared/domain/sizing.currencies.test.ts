import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { describe, expect, it } from "vitest";
import { isUsdLike, symbolCurrencies, usdPerQuote } from "./sizing.ts";

describe("a symbol's currencies", () => {
  it.each([
    ["BTC/USDT", { base: "BTC", quote: "USDT" }],
    ["USD/JPY", { base: "USD", quote: "JPY" }],
    ["US30", { base: "US30", quote: "USD" }],
    ["BRENT", { base: "BRENT", quote: "USD" }],
  ])("of %s", (symbol, currencies) => expect(symbolCurrencies(symbol)).toEqual(currencies));

  it.each(PRODUCT_SYMBOLS)("give the dollar value of a price of %s", (symbol) => {
    expect(usdPerQuote({ symbol, entry: 160 })).toBe(symbol === "USD/JPY" ? 1 / 160 : 1);
  });

  it.each(["ETH/BTC", "EUR/GBP", "EUR/JPY"])(
    "do not give the dollar value of a price of %s",
    (symbol) => {
      expect(usdPerQuote({ symbol, entry: 160 })).toBeNull();
    },
  );

  it("count pegged tokens as dollars, and nothing else", () => {
    expect(["USD", "USDT", "USDC", "BUSD", "FDUSD", "TUSD", "DAI", "PYUSD"].every(isUsdLike)).toBe(
      true,
    );
    expect(["EUR", "BTC", "XUSD", "usd", ""].some(isUsdLike)).toBe(false);
  });
});
