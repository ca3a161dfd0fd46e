import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { describe, expect, it } from "vitest";
import { candlesFromCloses, series } from "../testing/fakes.ts";
import { computeHigherTimeframe } from "./indicators.ts";

const trendOf = (closes: number[]) =>
  computeHigherTimeframe({ candles: candlesFromCloses(closes), timeframe: "1h" });

describe("higher timeframe", () => {
  it("heads up in a rise, down in a fall and nowhere without a move", () => {
    expect(trendOf(series(120, (index) => 100 + index))).toEqual({ timeframe: "4h", trend: "up" });
    expect(trendOf(series(120, (index) => 300 - index))).toEqual({
      timeframe: "4h",
      trend: "down",
    });
    expect(trendOf(series(120, () => 100))).toEqual({ timeframe: "4h", trend: "flat" });
  });

  it("is flat when a rise has just broken below its average", () => {
    const rise = series(116, (index) => 100 + index);
    expect(trendOf([...rise, ...series(4, () => 170)])?.trend).toBe("flat");
  });

  it("is unknown with fewer than 23 complete buckets", () => {
    expect(trendOf(series(91, (index) => 100 + index))).toBeNull();
    expect(trendOf(series(92, (index) => 100 + index))?.trend).toBe("up");
  });

  it("counts whole weeks from Monday", () => {
    const trendAfter = (days: number) => {
      const candles = candlesFromCloses(
        series(days, (index) => 100 + index),
        { timeframe: "1d" },
      );
      return computeHigherTimeframe({ candles, timeframe: "1d" });
    };
    expect(trendAfter(23 * 7 - 1)).toBeNull();
    expect(trendAfter(23 * 7)).toEqual({ timeframe: "1w", trend: "up" });
  });

  it.each(TIMEFRAMES)("is known for 300 candles of %s", (timeframe) => {
    const candles = candlesFromCloses(
      series(300, (index) => 100 + index),
      { timeframe },
    );
    expect(computeHigherTimeframe({ candles, timeframe })?.trend).toBe("up");
  });
});
