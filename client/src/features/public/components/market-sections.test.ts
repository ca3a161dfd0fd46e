import { INSTRUMENTS } from "@shared/contract/instruments.ts";
import { expect, it } from "vitest";
import { tickerWidgets } from "./market-sections.tsx";

it("the tape shows every symbol of the product under TradingView's name for it", () => {
  const { symbols } = Object.assign({ symbols: [] }, tickerWidgets.dark.config);
  const expected = INSTRUMENTS.map(({ symbol, tradingView }) => ({
    proName: tradingView,
    title: symbol,
  }));
  expect(symbols.toSorted(byName)).toEqual(expected.toSorted(byName));
});

it("each theme has its own look", () => {
  expect(tickerWidgets.dark.config).toMatchObject({ colorTheme: "dark" });
  expect(tickerWidgets.light.config).toMatchObject({ colorTheme: "light" });
});

const byName = (a: { title: string }, b: { title: string }) => a.title.localeCompare(b.title);
