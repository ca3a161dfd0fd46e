import { INSTRUMENTS } from "@shared/contract/instruments.ts";
import { expect, it } from "vitest";
import { tradingViewInterval, tradingViewSymbol } from "./trading-view.tsx";

it("every symbol of the product goes by the name that its instrument has there", () => {
  expect(INSTRUMENTS.map(({ symbol }) => tradingViewSymbol(symbol))).toEqual(
    INSTRUMENTS.map(({ tradingView }) => tradingView),
  );
});

it("other pairs are looked for on Binance", () => {
  expect(tradingViewSymbol("PEPE/USDT")).toBe("BINANCE:PEPEUSDT");
});

it("hours are counted in minutes, days are days", () => {
  expect(tradingViewInterval("1m")).toBe("1");
  expect(tradingViewInterval("4h")).toBe("240");
  expect(tradingViewInterval("1d")).toBe("D");
});
