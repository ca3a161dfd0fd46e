import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { resample } from "./candles.ts";

function hour(index: number, part: Partial<Candle> = {}): Candle {
  return { time: index * HOUR_MS, open: 10, high: 12, low: 9, close: 11, volume: 1, ...part };
}

describe("building longer candles from shorter ones", () => {
  it("takes the first open, the last close, the extremes and the whole volume", () => {
    const hours = [
      hour(4, { open: 10 }),
      hour(5, { high: 20 }),
      hour(6, { low: 3 }),
      hour(7, { close: 12, volume: 5 }),
    ];
    expect(resample(hours, { from: "1h", to: "4h" })).toEqual([
      { time: 4 * HOUR_MS, open: 10, high: 20, low: 3, close: 12, volume: 8 },
    ]);
  });

  it("leaves out candles at either end of which a part is missing", () => {
    const hours = [3, 4, 5, 6, 7, 8, 9, 10].map((index) => hour(index));
    expect(resample(hours, { from: "1h", to: "4h" }).map(({ time }) => time)).toEqual([
      4 * HOUR_MS,
    ]);
  });

  it("makes nothing of nothing", () => {
    expect(resample([], { from: "5m", to: "15m" })).toEqual([]);
  });
});
