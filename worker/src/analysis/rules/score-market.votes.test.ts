import { describe, expect, it } from "vitest";
import { candlesFromCloses } from "../../testing/fakes.ts";
import type { Indicators } from "../indicators.ts";
import type { MarketBrief } from "../market-brief.ts";
import {
  agreementWith,
  scoreOf,
  voteOnAverages,
  voteOnBands,
  voteOnHigherTimeframe,
  voteOnMacd,
  voteOnRoom,
  voteOnRsi,
  voteOnSwings,
  voteOnVolume,
} from "./score-market.ts";

const unknown: Indicators = {
  rsi14: null,
  ema20: null,
  ema50: null,
  ema200: null,
  macd: null,
  atr14: null,
  atrRatio: null,
  atrPercentile: null,
  bollinger20: null,
  volume: null,
  swings: { highs: [], lows: [] },
  trend: null,
  higherTimeframe: null,
};

/** A market at 100 after a rising candle, of which only the given indicators are known. */
const marketOf = (known: Partial<Indicators>): MarketBrief => ({
  symbol: "BTC/USDT",
  timeframe: "1h",
  scale: { tick: 0.01, decimals: 2 },
  price: 100,
  lastCandleAt: 0,
  session: null,
  resistances: [],
  supports: [],
  candles: candlesFromCloses([99, 100]),
  indicators: { ...unknown, ...known },
});

describe("trend", () => {
  it.each([
    { name: "stacked upwards", known: { ema20: 98, ema50: 95, ema200: 90 }, value: 1 },
    { name: "stacked downwards", known: { ema20: 102, ema50: 105, ema200: 110 }, value: -1 },
    { name: "a dip in a rise", known: { ema20: 102, ema50: 98, ema200: 90 }, value: 1 / 3 },
    { name: "a young market", known: { ema20: 98 }, value: 1 },
  ])("averages $name vote $value", ({ known, value }) => {
    expect(voteOnAverages(marketOf(known))?.value).toBeCloseTo(value, 12);
  });

  it("cites the averages in their order", () => {
    const vote = voteOnAverages(marketOf({ ema20: 102, ema50: 98.5, ema200: 98.5 }));
    expect(vote?.evidence).toBe("Price 100.00 < EMA 20 102.00 > EMA 50 98.50 = EMA 200 98.50.");
  });

  it("the higher timeframe votes its way", () => {
    const voteFor = (trend: "up" | "down" | "flat") =>
      voteOnHigherTimeframe(marketOf({ higherTimeframe: { timeframe: "4h", trend } }))?.value;
    expect([voteFor("up"), voteFor("flat"), voteFor("down")]).toEqual([1, 0, -1]);
  });
});

describe("momentum", () => {
  it.each([
    { rsi14: 50, value: 0 },
    { rsi14: 60, value: 0.5 },
    { rsi14: 70, value: 1 },
    { rsi14: 80, value: 0.5 },
    { rsi14: 90, value: 0 },
    { rsi14: 100, value: -0.5 },
    { rsi14: 40, value: -0.5 },
    { rsi14: 30, value: -1 },
    { rsi14: 10, value: 0 },
  ])("RSI $rsi14 votes $value", ({ rsi14, value }) => {
    expect(voteOnRsi(marketOf({ rsi14 }))?.value).toBeCloseTo(value, 12);
  });

  it.each([
    { histogram: 0.5, previousHistogram: 0.2, value: 1 },
    { histogram: 0.5, previousHistogram: 0.8, value: 0.2 },
    { histogram: -0.5, previousHistogram: -0.2, value: -1 },
    { histogram: 0.05, previousHistogram: null, value: 0.3 },
  ])(
    "a MACD histogram of $histogram after $previousHistogram votes $value",
    ({ value, ...rest }) => {
      const macd = { macd: 0, signal: 0, ...rest };
      expect(voteOnMacd(marketOf({ macd, atr14: 1 }))?.value).toBeCloseTo(value, 12);
    },
  );
});

describe("volatility and volume", () => {
  const bandsAround = (middle: number) => ({ lower: middle - 10, middle, upper: middle + 10 });

  it.each([
    { name: "half way up", middle: 95, atrRatio: 1, value: 0.5 },
    { name: "at the upper band of a calm market", middle: 90, atrRatio: 1, value: -0.5 },
    { name: "breaking out of the upper band of a lively one", middle: 88, atrRatio: 1.5, value: 1 },
    { name: "at the lower band of a calm market", middle: 110, atrRatio: null, value: 0.5 },
  ])("a price $name votes $value", ({ middle, atrRatio, value }) => {
    expect(voteOnBands(marketOf({ bollinger20: bandsAround(middle), atrRatio }))?.value).toBe(
      value,
    );
  });

  it.each([
    { ratio: 0.7, value: 0 },
    { ratio: 1.4, value: 0.4 },
    { ratio: 5, value: 1 },
  ])("a rising candle on $ratio times the usual volume votes $value", ({ ratio, value }) => {
    const volume = { last: ratio * 10, average20: 10, ratio };
    expect(voteOnVolume(marketOf({ volume }))?.value).toBeCloseTo(value, 12);
  });
});

describe("structure", () => {
  it.each([
    { name: "higher highs and lows", highs: [101, 103], lows: [95, 97], value: 0.5 },
    {
      name: "higher highs and lows, and a break upwards",
      highs: [97, 99],
      lows: [93, 95],
      value: 1,
    },
    {
      name: "lower highs and lows, and a break downwards",
      highs: [109, 107],
      lows: [103, 101],
      value: -1,
    },
    { name: "a widening range", highs: [101, 103], lows: [97, 95], value: 0 },
  ])("$name vote $value", ({ highs, lows, value }) => {
    expect(voteOnSwings(marketOf({ swings: { highs, lows } }))?.value).toBe(value);
  });

  it.each([
    { name: "near resistance", highs: [100.5], lows: [94], value: -2.5 / 3 },
    { name: "near support", highs: [106], lows: [99.5], value: 2.5 / 3 },
    { name: "above all resistance", highs: [98], lows: [96], value: (3 - 2) / 3 },
  ])("a price $name votes $value", ({ highs, lows, value }) => {
    expect(voteOnRoom(marketOf({ swings: { highs, lows }, atr14: 1 }))?.value).toBeCloseTo(
      value,
      12,
    );
  });
});

describe("rules without what they need", () => {
  it.each([
    voteOnAverages,
    voteOnHigherTimeframe,
    voteOnRsi,
    voteOnMacd,
    voteOnBands,
    voteOnVolume,
    voteOnSwings,
    voteOnRoom,
  ])("do not vote", (vote) => expect(vote(marketOf({}))).toBeNull());
});

describe("counting", () => {
  const vote = (value: number, weight: number) => ({ topic: "", evidence: "", value, weight });

  it("weighs the votes", () => {
    expect(scoreOf([vote(1, 3), vote(-1, 1)])).toBe(0.5);
    expect(agreementWith([vote(1, 3), vote(-1, 1), vote(0, 4)], 0.5)).toBe(3 / 8);
  });

  it("is even without votes", () => {
    expect(scoreOf([])).toBe(0);
    expect(agreementWith([], 1)).toBe(0);
  });
});
