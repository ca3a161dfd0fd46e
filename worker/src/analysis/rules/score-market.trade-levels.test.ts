import { describe, expect, it } from "vitest";
import { candlesFromCloses } from "../../testing/fakes.ts";
import { buildMarketBrief } from "../market-brief.ts";
import { tradeLevels } from "./score-market.ts";

/** A market at 100 with the given swings and ATR. */
function briefOf(known: {
  highs?: number[];
  lows?: number[];
  atr14: number | null;
  price?: number;
}) {
  const { highs = [], lows = [], atr14, price = 100 } = known;
  const candles = candlesFromCloses([price], { reach: 0 });
  const brief = buildMarketBrief({ symbol: "BTC/USDT", timeframe: "1h", limit: 1, candles });
  return { ...brief, indicators: { ...brief.indicators, atr14, swings: { highs, lows } } };
}
const levelsOf = (known: Parameters<typeof briefOf>[0], direction: 1 | -1 = 1) =>
  tradeLevels(briefOf(known), direction);

describe("levels of a trade", () => {
  it("put the stop a quarter ATR beyond the nearest swing in reach, and the target on structure", () => {
    expect(levelsOf({ atr14: 2, lows: [90, 97], highs: [107] })).toEqual({
      entry: 100,
      stopLoss: 96.5,
      takeProfit: 107,
    });
    expect(levelsOf({ atr14: 2, lows: [93], highs: [103, 110] }, -1)).toEqual({
      entry: 100,
      stopLoss: 103.5,
      takeProfit: 93,
    });
  });

  it("take 1.5 ATR and twice the risk without structure", () => {
    expect(levelsOf({ atr14: 2 })).toEqual({ entry: 100, stopLoss: 97, takeProfit: 106 });
    expect(levelsOf({ atr14: 2 }, -1)).toEqual({ entry: 100, stopLoss: 103, takeProfit: 94 });
  });

  it("pass over swings within the noise, and those too far for a stop", () => {
    expect(levelsOf({ atr14: 2, lows: [99.5, 96] })?.stopLoss).toBe(95.5);
    expect(levelsOf({ atr14: 2, lows: [99.5, 90] })?.stopLoss).toBe(97);
  });

  it("pass over targets that pay less than 1.5 times the risk, or more than 3 times", () => {
    expect(levelsOf({ atr14: 2, highs: [104, 105] })?.takeProfit).toBe(105);
    expect(levelsOf({ atr14: 2, highs: [104, 110] })?.takeProfit).toBe(106);
  });

  it("do not exist where the market stands still, or the target would fall below 0", () => {
    expect(levelsOf({ atr14: 0 })).toBeNull();
    expect(levelsOf({ atr14: null })).toBeNull();
    expect(levelsOf({ atr14: 40 }, -1)).toBeNull();
  });
});
