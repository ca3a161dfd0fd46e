import { MINUTE_MS } from "@shared/contract/constants.ts";
import { entryZone } from "@shared/outcomes/entry-zone.ts";
import { describe, expect, it } from "vitest";
import { findEntryLeft, type TradePlan } from "./check-entry.ts";

/** A buy at 100 that risks 10 for 20, advised while the market stood at 100. */
const BUY: TradePlan = { entry: 100, stopLoss: 90, takeProfit: 120, signalPrice: 100 };
/** A sell at 100 that risks 10 for 20. */
const SELL: TradePlan = { entry: 100, stopLoss: 110, takeProfit: 80, signalPrice: 100 };

const candle = (low: number, high: number, close: number) => ({
  candle: { time: 0, open: close, high, low, close, volume: 1 },
  until: MINUTE_MS,
});

describe("the zone in which a trade can still be entered", () => {
  it("reaches half the risk to either side of the entry", () => {
    expect(entryZone(BUY)).toEqual({ low: 95, high: 105 });
    expect(entryZone(SELL)).toEqual({ low: 95, high: 105 });
  });

  it("leaves a trade of 2 : 1 at least 1 : 1 at its far end", () => {
    const { high } = entryZone(BUY);
    expect((BUY.takeProfit - high) / (high - BUY.stopLoss)).toBe(1);
  });

  it("holds all the way from the market to an entry that waits for it", () => {
    expect(entryZone({ ...BUY, signalPrice: 112 })).toEqual({ low: 95, high: 117 });
    expect(entryZone({ ...SELL, signalPrice: 88 })).toEqual({ low: 83, high: 105 });
  });
});

describe("the entry of a trade is missed", () => {
  it.each([
    {
      name: "a buy whose price ran up",
      plan: BUY,
      candles: [candle(100, 106, 105.5)],
      price: 105.5,
    },
    { name: "a buy whose price fell", plan: BUY, candles: [candle(94, 100, 94.5)], price: 94.5 },
    { name: "a sell whose price fell", plan: SELL, candles: [candle(94, 100, 94.5)], price: 94.5 },
    { name: "a sell whose price rose", plan: SELL, candles: [candle(100, 106, 106)], price: 106 },
    {
      name: "a stop that was touched for a moment",
      plan: BUY,
      candles: [candle(90, 101, 100)],
      price: 90,
    },
    {
      name: "a target that was touched for a moment",
      plan: BUY,
      candles: [candle(99, 120, 100)],
      price: 120,
    },
    {
      name: "a sell's stop that was touched",
      plan: SELL,
      candles: [candle(99, 111, 100)],
      price: 110,
    },
    {
      name: "both within one candle: the stop counts",
      plan: BUY,
      candles: [candle(85, 125, 100)],
      price: 90,
    },
  ])("by $name", ({ plan, candles, price }) => {
    expect(findEntryLeft(plan, candles)?.price).toBe(price);
  });

  it("since the first candle that shows it, though the price came back later", () => {
    const gone = { ...candle(100, 107, 106), until: 2 * MINUTE_MS };
    const back = { ...candle(100, 106, 100), until: 3 * MINUTE_MS };
    expect(findEntryLeft(BUY, [candle(99, 101, 100), gone, back])).toEqual({
      until: 2 * MINUTE_MS,
      price: 106,
    });
  });
});

describe("the entry of a trade can be had", () => {
  it.each([
    { name: "before there is any newer candle", plan: BUY, candles: [] },
    {
      name: "while the price moves little",
      plan: BUY,
      candles: [candle(97, 103, 102), candle(96, 104, 97)],
    },
    {
      name: "after a spike that went back within its candle",
      plan: BUY,
      candles: [candle(94, 108, 101)],
    },
    {
      name: "right at the edge of the zone",
      plan: SELL,
      candles: [candle(95, 105, 105), candle(95, 105, 95)],
    },
    {
      name: "while the price is on its way to it",
      plan: { ...BUY, signalPrice: 112 },
      candles: [candle(104, 113, 106)],
    },
  ])("$name", ({ plan, candles }) => {
    expect(findEntryLeft(plan, candles)).toBeNull();
  });
});
