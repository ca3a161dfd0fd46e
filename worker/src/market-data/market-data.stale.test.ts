import type { TradingHours } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { isStale } from "./market-data.ts";

const utc = (text: string) => Date.parse(`${text}:00Z`);

/** Whether a feed whose last candle closed at `closed` has stopped by `now`. */
function behind(feed: {
  hours?: TradingHours;
  delayMinutes?: number;
  timeframe: Timeframe;
  closed: string;
  now: string;
}): boolean {
  const { hours = "always", delayMinutes = 0, timeframe, closed, now } = feed;
  const time = utc(closed) - TIMEFRAME_MS[timeframe];
  const candle = { time, open: 1, high: 1, low: 1, close: 1, volume: 0 };
  const market = { hours, delayMs: delayMinutes * 60_000 };
  return isStale({ candles: [candle], market }, { timeframe, now: utc(now) });
}

describe("a feed has stopped", () => {
  it.each([
    {
      late: "with the newest candle",
      closed: "2026-11-24T12:00",
      now: "2026-11-24T12:59",
      expected: false,
    },
    {
      late: "two candles late",
      closed: "2026-11-24T12:00",
      now: "2026-11-24T14:59",
      expected: false,
    },
    {
      late: "three candles late",
      closed: "2026-11-24T12:00",
      now: "2026-11-24T15:00",
      expected: true,
    },
    { late: "a month late", closed: "2026-10-24T12:00", now: "2026-11-24T15:00", expected: true },
  ])("$late", ({ closed, now, expected }) => {
    expect(behind({ timeframe: "1h", closed, now })).toBe(expected);
  });

  it("three candles and its provider's delay late", () => {
    const feed = { timeframe: "1m", closed: "2026-11-24T12:00", delayMinutes: 20 } as const;
    expect(behind({ ...feed, now: "2026-11-24T12:22" })).toBe(false);
    expect(behind({ ...feed, now: "2026-11-24T12:23" })).toBe(true);
  });

  it.each<{
    hours: TradingHours;
    timeframe: Timeframe;
    closed: string;
    now: string;
    expected: boolean;
  }>([
    // Closed since Friday 22:00, open since Sunday 22:00.
    {
      hours: "forex",
      timeframe: "1h",
      closed: "2026-11-20T22:00",
      now: "2026-11-22T22:10",
      expected: false,
    },
    {
      hours: "forex",
      timeframe: "1h",
      closed: "2026-11-20T22:00",
      now: "2026-11-23T00:59",
      expected: false,
    },
    {
      hours: "forex",
      timeframe: "1h",
      closed: "2026-11-20T22:00",
      now: "2026-11-23T01:00",
      expected: true,
    },
    // Thanksgiving: no stock market all day.
    {
      hours: "us-stocks",
      timeframe: "15m",
      closed: "2026-11-25T21:00",
      now: "2026-11-26T14:40",
      expected: false,
    },
    {
      hours: "us-stocks",
      timeframe: "15m",
      closed: "2026-11-25T21:00",
      now: "2026-11-26T15:15",
      expected: true,
    },
    // The daily break.
    {
      hours: "futures",
      timeframe: "30m",
      closed: "2026-11-24T22:00",
      now: "2026-11-25T00:29",
      expected: false,
    },
    {
      hours: "futures",
      timeframe: "30m",
      closed: "2026-11-24T22:00",
      now: "2026-11-25T00:30",
      expected: true,
    },
    {
      hours: "us-stocks",
      timeframe: "1d",
      closed: "2026-11-21T00:00",
      now: "2026-11-24T15:00",
      expected: false,
    },
    {
      hours: "us-stocks",
      timeframe: "1d",
      closed: "2026-11-21T00:00",
      now: "2026-11-26T15:00",
      expected: true,
    },
    {
      hours: "us-stocks",
      timeframe: "4h",
      closed: "2026-11-21T00:00",
      now: "2026-11-23T19:00",
      expected: false,
    },
  ])(
    "counting open hours only: $hours at $timeframe, from $closed to $now: $expected",
    ({ hours, timeframe, closed, now, expected }) => {
      expect(behind({ hours, timeframe, closed, now })).toBe(expected);
    },
  );

  it("without any candle", () => {
    expect(isStale({ candles: [] }, { timeframe: "1h", now: 0 })).toBe(true);
  });
});
