import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAtTick, priceScale, roundToTick } from "./market-brief.ts";

describe("the scale of a market", () => {
  it.each([
    { symbol: "BTC/USDT", price: 113_456.789, text: "113456.79" },
    { symbol: "EUR/USD", price: 1.1698, text: "1.16980" },
    { symbol: "USD/JPY", price: 151.23456, text: "151.235" },
    { symbol: "US30", price: 46_123.4531, text: "46123.5" },
    { symbol: "DOGE/USDT", price: 0.196543, text: "0.19654" },
    { symbol: "PEPE/USDT", price: 0.0000123456789, text: "0.0000123457" },
    { symbol: "ETH/BTC", price: 0.03456789, text: "0.0345679" },
    { symbol: "YFI/USDT", price: 5_123.4567, text: "5123.46" },
  ])("writes $price of $symbol as $text", ({ symbol, price, text }) => {
    const scale = priceScale(symbol, price);
    expect(formatAtTick(price, scale)).toBe(text);
    expect(roundToTick(price, scale)).toBe(Number(text));
  });

  it("moves a price by half a tick at most, and one on a tick not at all", () => {
    const prices = fc.double({ min: 1e-4, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        prices,
        fc.constantFrom("BTC/USDT", "EUR/USD", "US30", "ANY/USDT"),
        (price, symbol) => {
          const scale = priceScale(symbol, price);
          const rounded = roundToTick(price, scale);
          expect(Math.abs(rounded - price)).toBeLessThanOrEqual(scale.tick * 0.500001);
          expect(roundToTick(rounded, scale)).toBe(rounded);
        },
      ),
    );
  });

  it("leaves what is not a number to the check", () => {
    const scale = priceScale("BTC/USDT", 1);
    expect(roundToTick(Number.NaN, scale)).toBeNaN();
    expect(roundToTick(Number.POSITIVE_INFINITY, scale)).toBe(Number.POSITIVE_INFINITY);
    expect(Number.isFinite(roundToTick(1e308, scale))).toBe(false);
  });
});
