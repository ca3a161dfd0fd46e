import { describe, expect, it } from "vitest";
import { computeIndicators } from "./indicators.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { recordedCandles } from "./testing/recorded-candles.ts";

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

  it("refuses an empty series", () => {
    expect(() => buildMarketBrief({ ...order, candles: [] })).toThrow(RangeError);
  });
});
