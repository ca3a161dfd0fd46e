import { expect, test } from "vitest";
import type { CandleSeries } from "../market-data/market-data.ts";
import { candlesFromCloses, liveSeries, memoryMarketData } from "../testing/fakes.ts";
import { fetchUsdRate } from "./analyse-market.ts";

const closing = (...closes: number[]) => liveSeries(candlesFromCloses(closes));
const rateOf = (currency: string, series: Record<string, CandleSeries>) => {
  const marketData = memoryMarketData(series);
  const abort = new AbortController().signal;
  return fetchUsdRate({ currency, timeframe: "1h", data: "live", marketData, abort });
};

test("a pound of EUR/GBP is worth the last close of GBP/USD", async () => {
  expect(await rateOf("GBP", { "GBP/USD": closing(1.2, 1.25) })).toBe(1.25);
});

test("a yen of EUR/JPY is worth one by the last close of USD/JPY", async () => {
  expect(await rateOf("JPY", { "USD/JPY": closing(150, 160) })).toBe(1 / 160);
});

test("a bitcoin of ETH/BTC is worth its dollar tokens where no market trades it for dollars", async () => {
  expect(await rateOf("BTC", { "BTC/USDT": closing(99_000, 100_000) })).toBe(100_000);
});

test("a currency that no market trades for dollars has no rate", async () => {
  expect(await rateOf("XYZ", { "GBP/USD": closing(1.25) })).toBeNull();
});

test("a live trade is not sized by a recorded rate", async () => {
  const recorded: CandleSeries = { ...closing(1.25), data: "replay" };
  expect(await rateOf("GBP", { "GBP/USD": recorded })).toBeNull();
});
