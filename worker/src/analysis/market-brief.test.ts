import { describe, expect, it } from "vitest";
import { recordedCandles } from "../testing/fakes.ts";
import { computeIndicators } from "./indicators.ts";
import { buildMarketBrief } from "./market-brief.ts";

const candles = recordedCandles("BTC-USDT.1h").slice(0, 300);
const order = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;

describe("market brief", () => {
  it("shows the candles asked for, and computes indicators from all", () => {
    const brief = buildMarketBrief({ ...order, candles });
    expect(brief.candles).toEqual(candles.slice(250));
    expect(brief.indicators).toEqual(computeIndicators({ candles, timeframe: "1h" }));
    expect(brief.indicators.ema200).not.toBeNull();
  });

  it("prices the market at the last close, and dates it by when that candle closed", () => {
    const brief = buildMarketBrief({ ...order, candles });
    expect(brief.price).toBe(candles[299]?.close);
    expect(brief.lastCandleAt).toBe((candles[299]?.time ?? 0) + 3_600_000);
  });

  it("shows what there is when fewer candles exist than were asked for", () => {
    expect(buildMarketBrief({ ...order, candles: candles.slice(0, 7) }).candles).toHaveLength(7);
  });

  it("measures how far support and resistance are, nearest first", () => {
    const { price, indicators, resistances, supports } = buildMarketBrief({ ...order, candles });
    const { highs, lows } = indicators.swings;
    const all = [...highs, ...lows];
    expect(resistances.map((level) => level.price)).toEqual(
      all.filter((level) => level > price).sort((a, b) => a - b),
    );
    expect(supports.map((level) => level.price)).toEqual(
      all.filter((level) => level < price).sort((a, b) => b - a),
    );
    const [support] = supports;
    const distance = price - (support?.price ?? 0);
    expect(support?.distanceAtr).toBeCloseTo(distance / (indicators.atr14 ?? 0), 12);
    expect(support?.distancePercent).toBeCloseTo((100 * distance) / price, 12);
  });

  it("ranks the present range, and reads the trend of both timeframes", () => {
    const { indicators } = buildMarketBrief({ ...order, candles });
    expect(indicators.atrPercentile).toBeGreaterThanOrEqual(0);
    expect(indicators.atrPercentile).toBeLessThanOrEqual(100);
    expect(["up", "down", "flat"]).toContain(indicators.trend);
    expect(indicators.higherTimeframe?.timeframe).toBe("4h");
    const { indicators: young } = buildMarketBrief({ ...order, candles: candles.slice(0, 60) });
    expect(young).toMatchObject({ atrPercentile: null, higherTimeframe: null });
  });

  it("writes prices as the market does", () => {
    expect(buildMarketBrief({ ...order, candles }).scale).toEqual({ tick: 0.01, decimals: 2 });
  });

  it("refuses an empty series", () => {
    expect(() => buildMarketBrief({ ...order, candles: [] })).toThrow(RangeError);
  });
});
