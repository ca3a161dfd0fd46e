import type { MarketCandles } from "@shared/contract/market-data.ts";
import { expect, test } from "vitest";
import { moveOpenCandle } from "./use-candles.ts";

const OPENS_AT = Date.UTC(2026, 10, 20, 12);
const candle = { time: OPENS_AT, open: 100, high: 110, low: 95, close: 101, volume: 5 };
const data: MarketCandles = {
  symbol: "BTC/USDT",
  timeframe: "5m",
  source: "binance",
  opens_at: null,
  delay_ms: 0,
  candles: [
    { ...candle, time: OPENS_AT - 300_000, closed: true },
    { ...candle, closed: false },
  ],
};
const live = { price: 112, at: new Date(OPENS_AT + 1_000).toISOString(), isStale: false };

test.each(["binance", "replay"])(
  "a live price moves the open candle of %s, and its high or low",
  (source) => {
    const shown = { ...data, source };
    expect(moveOpenCandle(shown, live).candles).toEqual([
      data.candles[0],
      { ...candle, high: 112, close: 112, closed: false },
    ]);
    expect(moveOpenCandle(shown, { ...live, price: 90 }).candles.at(-1)).toMatchObject({
      high: 110,
      low: 90,
      close: 90,
    });
  },
);

test.each<[string, MarketCandles, typeof live | null]>([
  ["without a live price", data, null],
  ["when it is stale", data, { ...live, isStale: true }],
  [
    "when it is of the next candle",
    data,
    { ...live, at: new Date(OPENS_AT + 300_000).toISOString() },
  ],
  ["when it is of the last candle", data, { ...live, at: new Date(OPENS_AT - 1).toISOString() }],
  ["when all candles are closed", { ...data, candles: data.candles.slice(0, 1) }, live],
])("the candles stay as they are %s", (_, candles, price) => {
  expect(moveOpenCandle(candles, price)).toBe(candles);
});
