import { describe, expect, it } from "vitest";
import { describeCandles } from "../hold-words.ts";
import { expectedCandles } from "./rules-analyst.ts";

describe("time of a trade", () => {
  it("is what a random walk takes: risk times reward over variance", () => {
    const levels = { entry: 100, stopLoss: 97, takeProfit: 106 };
    expect(expectedCandles(levels, 2)).toBe(Math.round((3 * 6 * (8 / Math.PI)) / 4));
  });

  it("is at least a candle", () => {
    expect(expectedCandles({ entry: 100, stopLoss: 99.9, takeProfit: 100.1 }, 10)).toBe(1);
  });

  it.each([
    [24, "1h", "24 candles (about 24 hours)"],
    [1, "1h", "1 candle (about 60 minutes)"],
    [12, "5m", "12 candles (about 60 minutes)"],
    [30, "30m", "30 candles (about 15 hours)"],
    [12, "4h", "12 candles (about 2 days)"],
    [1, "1d", "1 candle (about 24 hours)"],
    [20, "1d", "20 candles (about 20 days)"],
  ] as const)("%d candles of %s read %s", (count, timeframe, text) => {
    expect(describeCandles(count, timeframe)).toBe(text);
  });
});
