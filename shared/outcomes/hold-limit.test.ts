import type { Timeframe } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { holdLimit } from "./hold-limit.ts";

/** A Tuesday, 15:00 UTC. */
const TUESDAY = Date.UTC(2026, 0, 6, 15);

const limitOf = (text: string, timeframe: Timeframe, candles: number | null = null) =>
  holdLimit({ candles, text, timeframe, from: TUESDAY });

describe("the hold limit by an analyst's number", () => {
  it.each([
    [12, 12],
    [1, 1],
    [2.2, 3],
    [480, 480],
    [5_000, 480],
    [Number.POSITIVE_INFINITY, 480],
  ])("%d candles: %i, whatever the words say", (candles, limit) => {
    expect(limitOf("overnight", "1h", candles)).toBe(limit);
  });

  it.each([null, 0, -3, Number.NaN])("is read from the words if the number is %d", (candles) => {
    expect(limitOf("6 candles", "1h", candles)).toBe(6);
  });
});

describe("the hold limit by an analyst's words", () => {
  it.each<[string, Timeframe, number]>([
    // Candles of the trade's own timeframe
    ["6 candles", "1h", 6],
    ["24 candles (about 24 hours)", "4h", 24],
    ["1 candle (about 5 minutes)", "5m", 1],
    ["10 bars", "1m", 10],
    ["6-12 candles", "4h", 12],
    ["6 to 12 candles", "4h", 12],
    ["between six and twelve candles", "4h", 12],
    ["up to 8 candlesticks", "1h", 8],
    ["Hold for 3 or 4 more candles", "1d", 4],
    ["12-candle hold", "1h", 12],
    // Candles of a named timeframe
    ["6-12 4h candles", "4h", 12],
    ["6-12 4h candles", "1h", 48],
    ["6–12 4h candles", "1d", 2],
    ["1-2 days (6-12 4h candles)", "4h", 12],
    ["1-2 days (6-12 4h candles)", "1d", 2],
    ["12 x 15m bars", "5m", 36],
    ["4 15-minute candles", "15m", 4],
    ["3 H4 candles", "1h", 12],
    ["5 daily candles", "4h", 30],
    ["8 hourly bars", "30m", 16],
    ["one 4-hour candle", "1h", 4],
    ["twelve 5-minute candles", "5m", 12],
    // Times
    ["4-8 hours", "1h", 8],
    ["4–8 hours", "30m", 16],
    ["4 to 8 hrs", "4h", 2],
    ["4 to 12 hours", "1h", 12],
    ["4h-12h", "1h", 12],
    ["4 hours to 2 days", "4h", 12],
    ["24-48h", "4h", 12],
    ["2 days", "1h", 48],
    ["1-2 days", "1d", 2],
    ["Hold for 90 minutes at most", "1h", 2],
    ["15-45 min", "15m", 3],
    ["a 3-day swing", "1d", 3],
    ["1 week", "1d", 7],
    ["2-3 weeks", "1d", 21],
    ["2 months", "1d", 60],
    ["12h", "15m", 48],
    ["1.5 hours", "30m", 3],
    ["1h30m", "30m", 3],
    ["1 day and 12 hours", "4h", 9],
    ["2 days (48 hours)", "4h", 12],
    ["1d", "4h", 6],
    ["On the 4h chart, hold for 2 days", "4h", 12],
    ["Scalp on the 15m timeframe: 2 hours", "15m", 8],
    // Numbers in words
    ["two to four hours", "1h", 4],
    ["six candles", "4h", 6],
    ["twenty-four hours", "4h", 6],
    ["forty eight hours", "1d", 2],
    ["an hour", "15m", 4],
    ["half an hour", "5m", 6],
    ["half a day", "1h", 12],
    ["a couple of days", "1d", 2],
    ["a few hours", "1h", 3],
    ["about a week", "1d", 7],
    // The calendar, from Tuesday at 15:00
    ["overnight", "1h", 12],
    ["Overnight", "4h", 3],
    ["hold overnight", "1d", 1],
    ["until Friday", "1h", 81],
    ["until Friday", "1d", 4],
    ["Until Friday's close", "4h", 21],
    ["through the end of Thursday", "1h", 57],
    ["until Tuesday", "1h", 9],
    ["by Wednesday", "1h", 33],
    ["through Sat", "1d", 5],
    ["until the end of the day", "1h", 9],
    ["close it today", "4h", 3],
    ["until tomorrow", "1h", 33],
    ["until the end of the week", "1d", 4],
  ])("%s at %s: %i", (text, timeframe, candles) => {
    expect(limitOf(text, timeframe)).toBe(candles);
  });

  it.each([
    "",
    "until the next session",
    "No position",
    "6-12",
    "as long as the trend holds",
    "watch the 4h chart",
    "be ready to monitor it by satellite",
    "intraday",
    "NaN candles",
    "1e9 days",
    "🚀",
  ])("is 24 if they name none: %j", (text) => {
    expect(limitOf(text, "1h")).toBe(24);
  });

  it("is at least one candle and at most 480", () => {
    expect(limitOf("5 minutes", "1d")).toBe(1);
    expect(limitOf("0 candles", "1h")).toBe(1);
    expect(limitOf("4 weeks", "1m")).toBe(480);
    expect(limitOf(`${"9".repeat(200)} weeks`, "1m")).toBe(480);
  });

  it("is read quickly from a text that is made to be slow", () => {
    const startedAt = performance.now();
    for (const text of [
      "1-".repeat(50_000),
      `1${" ".repeat(50_000)}x`,
      "1 day and ".repeat(9_000),
    ]) {
      limitOf(text, "1h");
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
