import { INSTRUMENTS } from "@shared/contract/instruments.ts";
import { expect, it } from "vitest";
import { overviewWidgets, tickerWidgets } from "./market-sections.tsx";

it("the tape shows every symbol of the product under TradingView's name for it", () => {
  const { symbols } = Object.assign({ symbols: [] }, tickerWidgets.dark.config);
  const expected = INSTRUMENTS.map(({ symbol, tradingView }) => ({
    proName: tradingView,
    title: symbol,
  }));
  expect(symbols.toSorted(byName)).toEqual(expected.toSorted(byName));
});

it("the overview and the tape list the classes in their order, metals together with oil", () => {
  const tabs = [
    {
      title: "Crypto",
      names: ["BTC", "ETH", "BNB", "ADA", "SOL", "XRP", "LTC", "DOGE"].map(inUsdt),
    },
    { title: "Metals and oil", names: ["XAU/USD", "XAG/USD", "WTI", "BRENT"] },
    { title: "Forex", names: ["EUR/USD", "GBP/USD", "AUD/USD", "USD/JPY"] },
    { title: "Indices", names: ["US30", "NAS100", "SPX500"] },
    { title: "Stocks", names: ["AAPL", "MSFT"] },
  ];
  expect(overviewWidgets.dark.config).toMatchObject({
    tabs: tabs.map(({ title, names }) => ({ title, symbols: names.map((d) => ({ d })) })),
  });
  expect(tickerWidgets.dark.config).toMatchObject({
    symbols: tabs.flatMap(({ names }) => names.map((title) => ({ title }))),
  });
});

it("each theme has its own look", () => {
  expect(tickerWidgets.dark.config).toMatchObject({ colorTheme: "dark" });
  expect(tickerWidgets.light.config).toMatchObject({ colorTheme: "light" });
});

const inUsdt = (coin: string) => `${coin}/USDT`;

const byName = (a: { title: string }, b: { title: string }) => a.title.localeCompare(b.title);
