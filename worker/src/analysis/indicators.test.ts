import type { Candle } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { candlesFromCloses, recordedCandles, series } from "../testing/fakes.ts";
import { computeEmaSeries, computeIndicators, computeRsi } from "./indicators.ts";

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Textbook definitions, written without regard to speed; the code under test must agree with them. */
const reference = {
  ema(values: number[], period: number): number[] {
    const averages: number[] = [];
    for (const value of values) {
      const previous = averages.at(-1) ?? value;
      averages.push(previous + (2 / (period + 1)) * (value - previous));
    }
    return averages;
  },
  wilder(values: number[], period: number): number {
    return values
      .slice(period)
      .reduce(
        (average, value) => (average * (period - 1) + value) / period,
        mean(values.slice(0, period)),
      );
  },
  rsi(closes: number[], period: number): number {
    const changes = closes.slice(1).map((close, index) => close - (closes[index] ?? close));
    const gain = reference.wilder(
      changes.map((change) => Math.max(change, 0)),
      period,
    );
    const loss = reference.wilder(
      changes.map((change) => Math.max(-change, 0)),
      period,
    );
    return (100 * gain) / (gain + loss);
  },
  trueRanges(candles: Candle[]): number[] {
    return candles.map(({ high, low }, index) => {
      const close = candles[index - 1]?.close;
      if (close === undefined) return high - low;
      return Math.max(high - low, Math.abs(high - close), Math.abs(low - close));
    });
  },
  macdHistograms(closes: number[]): number[] {
    const slow = reference.ema(closes, 26);
    const lines = reference.ema(closes, 12).map((fast, index) => fast - (slow[index] ?? fast));
    const stable = lines.slice(25);
    return reference.ema(stable, 9).map((signal, index) => (stable[index] ?? signal) - signal);
  },
};

const markets = ["BTC-USDT.1h", "EUR-USD.1h", "GBP-USD.1d"].map((name) => ({
  name,
  candles: recordedCandles(name).slice(100, 400),
}));

describe("indicators on recorded candles", () => {
  it.each(markets)("agree with their textbook definitions on $name", ({ candles }) => {
    const closes = candles.map(({ close }) => close);
    const { ema20, ema50, ema200, rsi14, atr14, macd, bollinger20 } = computeIndicators({
      candles,
      timeframe: "1h",
    });
    expect(ema20).toBeCloseTo(reference.ema(closes, 20).at(-1) ?? 0, 9);
    expect(ema50).toBeCloseTo(reference.ema(closes, 50).at(-1) ?? 0, 9);
    expect(ema200).toBeCloseTo(reference.ema(closes, 200).at(-1) ?? 0, 9);
    expect(rsi14).toBeCloseTo(reference.rsi(closes, 14), 9);
    expect(atr14).toBeCloseTo(reference.wilder(reference.trueRanges(candles), 14), 9);
    const histograms = reference.macdHistograms(closes);
    expect(macd?.histogram).toBeCloseTo(histograms.at(-1) ?? 0, 9);
    expect(macd?.previousHistogram).toBeCloseTo(histograms.at(-2) ?? 0, 9);
    const window = closes.slice(-20);
    const deviation = Math.sqrt(mean(window.map((close) => (close - mean(window)) ** 2)));
    expect(bollinger20?.middle).toBeCloseTo(mean(window), 9);
    expect(bollinger20?.upper).toBeCloseTo(mean(window) + 2 * deviation, 9);
    expect(bollinger20?.lower).toBeCloseTo(mean(window) - 2 * deviation, 9);
  });

  it("measure the present range against the mean of the last 50", () => {
    const candles = recordedCandles("BTC-USDT.1h").slice(0, 120);
    const ranges = reference.trueRanges(candles);
    const atrs = series(50, (index) => reference.wilder(ranges.slice(0, 71 + index), 14));
    const { atrRatio } = computeIndicators({ candles, timeframe: "1h" });
    expect(atrRatio).toBeCloseTo((atrs.at(-1) ?? 0) / mean(atrs), 9);
  });

  it("give Wilder's RSI as published for StockCharts' example", () => {
    const closes = [
      44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826,
      45.8931, 46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439,
      46.2122, 46.2521, 45.7137, 46.4515, 45.7835, 45.3548, 44.0288, 44.1783, 44.2181, 44.5672,
      43.4205, 42.6628, 43.1314,
    ];
    expect(computeRsi(closes.slice(0, 15), 14)).toBeCloseTo(70.53, 2);
    expect(computeRsi(closes, 14)).toBeCloseTo(37.77, 2);
  });
});

describe("too few candles", () => {
  const at = (count: number) =>
    computeIndicators({
      candles: candlesFromCloses(series(count, (index) => 100 + (index % 7))),
      timeframe: "1h",
    });

  it.each([
    { field: "ema20", needed: 20 },
    { field: "ema50", needed: 50 },
    { field: "ema200", needed: 200 },
    { field: "rsi14", needed: 15 },
    { field: "atr14", needed: 14 },
    { field: "bollinger20", needed: 20 },
    { field: "macd", needed: 34 },
    { field: "atrRatio", needed: 63 },
    { field: "volume", needed: 20 },
  ] as const)("leave $field null below $needed", ({ field, needed }) => {
    expect(at(needed - 1)[field]).toBeNull();
    expect(at(needed)[field]).not.toBeNull();
  });

  it("are no error even when there is none at all", () => {
    expect(at(0)).toMatchObject({
      rsi14: null,
      higherTimeframe: null,
      swings: { highs: [], lows: [] },
    });
  });
});

describe("volume", () => {
  it("is null where the market reports none, as forex feeds do", () => {
    const candles = recordedCandles("EUR-USD.1h").slice(0, 100);
    expect(computeIndicators({ candles, timeframe: "1h" }).volume).toBeNull();
  });

  it("compares the last candle with the mean of the last twenty", () => {
    const candles = candlesFromCloses(series(40, () => 100));
    const loud = candles.map((candle, index) =>
      index === 39 ? { ...candle, volume: 50 } : candle,
    );
    const { volume } = computeIndicators({ candles: loud, timeframe: "1h" });
    expect(volume).toEqual({ last: 50, average20: 12, ratio: 50 / 12 });
  });
});

describe("swings", () => {
  const pattern = [
    100, 101, 102, 105, 102, 101, 100, 99, 98, 95, 98, 99, 100, 101, 106, 102, 101, 100,
  ];

  it("are the extremes that exceed three candles on either side, oldest first", () => {
    const { swings } = computeIndicators({
      candles: candlesFromCloses(pattern, { reach: 0.25 }),
      timeframe: "1h",
    });
    expect(swings).toEqual({ highs: [], lows: [] });
    const spiked = candlesFromCloses(pattern, { reach: 0.25 }).map((candle) => ({
      ...candle,
      high: candle.close + 0.25 + Math.max(candle.open - candle.close, 0) / 2,
      low: candle.close - 0.25 - Math.max(candle.close - candle.open, 0) / 2,
    }));
    const found = computeIndicators({ candles: spiked, timeframe: "1h" }).swings;
    expect(found).toEqual({ highs: [105.25, 106.25], lows: [94.75] });
  });

  it("are known only once the candles after them closed", () => {
    const spiked = candlesFromCloses(pattern).map((candle) => ({
      ...candle,
      high: candle.close + 1,
      low: candle.close - 1,
    }));
    const until = (count: number) =>
      computeIndicators({ candles: spiked.slice(0, count), timeframe: "1h" }).swings;
    expect(until(6).highs).toEqual([]);
    expect(until(7).highs).toEqual([106]);
  });
});

describe("no look-ahead", () => {
  it("later candles change no earlier average", () => {
    const closes = recordedCandles("BTC-USDT.1h")
      .slice(0, 300)
      .map(({ close }) => close);
    const all = computeEmaSeries(closes, 50);
    for (const count of [49, 50, 120, 299]) {
      expect(computeEmaSeries(closes.slice(0, count), 50)).toEqual(all.slice(0, count));
    }
  });
});
