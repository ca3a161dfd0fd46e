import type { Timeframe } from "@shared/contract/candle.ts";
import { describe, expect, it } from "vitest";
import { holdCandles } from "./hold-candles.ts";

describe("the suggested hold in candles", () => {
  it.each<[string, Timeframe, number]>([
    ["6 candles", "1h", 6],
    ["24 candles (about 24 hours)", "4h", 24],
    ["1 candle (about 5 minutes)", "5m", 1],
    ["4-8 hours", "1h", 8],
    ["4–8 hours", "30m", 16],
    ["4 to 8 hrs", "4h", 2],
    ["2 days", "1h", 48],
    ["1-2 days", "1d", 2],
    ["Hold for 90 minutes at most", "1h", 2],
    ["a 3-day swing", "1d", 3],
    ["1 week", "1d", 7],
    ["12h", "15m", 48],
    ["1.5 hours", "30m", 3],
    ["10 bars", "1m", 10],
  ])("%s at %s: %i", (text, timeframe, candles) => {
    expect(holdCandles(text, timeframe)).toBe(candles);
  });

  it.each(["", "until the next session", "No position", "2 months"])(
    "is 24 where no time is named: %j",
    (text) => {
      expect(holdCandles(text, "1h")).toBe(24);
    },
  );

  it("is at least one candle and at most 480", () => {
    expect(holdCandles("5 minutes", "1d")).toBe(1);
    expect(holdCandles("0 candles", "1h")).toBe(1);
    expect(holdCandles("4 weeks", "1m")).toBe(480);
  });
});
