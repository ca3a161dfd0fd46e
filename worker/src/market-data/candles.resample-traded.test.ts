import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { candlesFromCloses, MONDAY, recordedCandles, series } from "../testing/fakes.ts";
import { resampleTraded } from "./candles.ts";

/** Four-hour candles of hourly ones, up to the close of the last. */
const fourHours = (candles: readonly Candle[]) =>
  resampleTraded(candles, {
    lengthMs: TIMEFRAME_MS["4h"],
    closedUntil: (candles.at(-1)?.time ?? 0) + HOUR_MS,
  });

describe("longer candles of a market with closed hours", () => {
  it("merges four hours into one candle: first open, highest high, lowest low, last close, all volume", () => {
    const candles = candlesFromCloses([10, 14, 8, 11], { reach: 1, volume: 2 });
    expect(fourHours(candles)).toEqual([
      { time: MONDAY, open: 10, high: 15, low: 7, close: 11, volume: 8 },
    ]);
  });

  it("starts buckets on UTC boundaries, whatever the first candle's time", () => {
    const candles = candlesFromCloses(
      series(24, (index) => 100 + index),
      {
        startAt: MONDAY + 3 * HOUR_MS,
      },
    );
    const hours = fourHours(candles).map(({ time }) => (time - MONDAY) / HOUR_MS);
    expect(hours).toEqual([4, 8, 12, 16, 20]);
  });

  it("leaves out the bucket that is still open", () => {
    const candles = candlesFromCloses(series(11, () => 100));
    expect(fourHours(candles)).toHaveLength(2);
    const complete = candlesFromCloses(series(12, () => 100));
    expect(fourHours(complete)).toHaveLength(3);
  });

  it("keeps buckets in which closed hours are missing", () => {
    const candles = candlesFromCloses(series(12, (index) => 100 + index)).filter(
      (_, index) => index !== 5 && index !== 6,
    );
    const buckets = fourHours(candles);
    expect(buckets.map(({ close }) => close)).toEqual([103, 107, 111]);
  });

  it("begins weeks on Monday", () => {
    const dayMs = TIMEFRAME_MS["1d"];
    const candles = candlesFromCloses(
      series(20, () => 100),
      { timeframe: "1d", startAt: MONDAY - 3 * dayMs },
    );
    const weeks = resampleTraded(candles, {
      lengthMs: 7 * dayMs,
      offsetMs: 4 * dayMs,
      closedUntil: MONDAY + 17 * dayMs,
    });
    expect(weeks.map(({ time }) => (time - MONDAY) / dayMs)).toEqual([0, 7]);
  });

  it("gives nothing for nothing", () => {
    expect(fourHours([])).toEqual([]);
  });

  it("never changes a bucket that was complete when later candles come", () => {
    const candles = recordedCandles("EUR-USD.1h").slice(0, 400);
    const all = fourHours(candles);
    for (const count of [50, 123, 250, 399]) {
      const early = fourHours(candles.slice(0, count));
      expect(early.length).toBeGreaterThan(0);
      expect(all.slice(0, early.length)).toEqual(early);
    }
  });
});
