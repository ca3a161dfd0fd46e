import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { patient } from "../../testing/fakes.ts";
import { resample } from "../candles.ts";
import type { CandleSeries } from "../market-data.ts";
import { createReplayMarketData, REPLAY_TURNS_AT, Recordings } from "./replay-market-data.ts";

/** Every market is open. */
const NOW = Date.UTC(2026, 10, 20, 15, 37, 12);
const PAST = Date.UTC(2026, 10, 18);
const RECORDED = "Demo data: recorded candles shifted to the present, not live prices.";
const SIMULATED = "Demo data: simulated candles, not market prices.";
const recordings = new Recordings(new URL("./data/", import.meta.url));
const clock = { now: NOW };
/** One for all: each reads the recordings of a market once. It reads the clock before anything that it waits for. */
const replayed = createReplayMarketData({ now: () => clock.now });

function replay(options: { symbol: string; timeframe: Timeframe; limit?: number; now?: number }) {
  const { symbol, timeframe, limit = 300, now = NOW } = options;
  clock.now = now;
  return replayed.candles({ symbol, timeframe, limit, abort: patient() });
}

/** One of each kind: recorded by the hour, recorded by the day, simulated. */
const KINDS = ["BTC/USDT", "GBP/USD", "SOL/USDT"];
const isOneOfItsKind = (symbol: string): boolean => KINDS.includes(symbol);

/** The others at the shortest timeframe, which is made from longer ones, and at one that is made from shorter ones. */
const everyMarket = PRODUCT_SYMBOLS.flatMap((symbol) =>
  TIMEFRAMES.filter((timeframe) => isOneOfItsKind(symbol) || ["1m", "4h"].includes(timeframe)).map(
    (timeframe) => ({ symbol, timeframe }),
  ),
);

describe.each(everyMarket)("replay of $symbol at $timeframe", ({ symbol, timeframe }) => {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const openTime = Math.floor(NOW / lengthMs) * lengthMs;

  let series: CandleSeries;
  beforeAll(async () => {
    series = await replay({ symbol, timeframe, limit: 501 });
  });

  it("brings valid closed candles on the grid up to now, and says what they are", () => {
    expect(z.array(candleSchema).safeParse(series.candles).error).toBeUndefined();
    expect(series.candles.map(({ time }) => time)).toEqual(
      Array.from({ length: 501 }, (_, index) => openTime - (501 - index) * lengthMs),
    );
    expect(series).toMatchObject({ provider: "replay", data: "replay" });
    expect([[RECORDED], [SIMULATED]]).toContainEqual(series.notes);
  });

  it("shows the same candle at the same time, however far time has moved on", async () => {
    const before = await replay({ symbol, timeframe, limit: 40 });
    const later = await replay({ symbol, timeframe, limit: 60, now: NOW + 17 * lengthMs });
    expect(later.candles.slice(3, 43)).toEqual(before.candles);
    expect(series.candles.slice(-40)).toEqual(before.candles);
  });
});

describe("the open candle of a replay", () => {
  const open = async (market: { symbol: string; timeframe: Timeframe }, now: number) => {
    clock.now = now;
    return (await replayed.candles({ ...market, limit: 1, withOpen: true, abort: patient() })).open;
  };

  it.each([
    { symbol: "BTC/USDT", timeframe: "1m" },
    { symbol: "BTC/USDT", timeframe: "1h" },
    { symbol: "EUR/USD", timeframe: "4h" },
    { symbol: "WTI", timeframe: "1d" },
  ] as const)("of $symbol at $timeframe grows until it is the closed one", async (market) => {
    const { timeframe } = market;
    const lengthMs = TIMEFRAME_MS[timeframe];
    const startsAt = Math.floor(NOW / lengthMs) * lengthMs;
    const { candles } = await replay({ ...market, limit: 1, now: startsAt + lengthMs });
    const [closed] = candles;
    if (!closed) throw new Error("there is no closed candle");
    const first = await open(market, startsAt);
    const { open: price } = closed;
    expect(first).toEqual({
      time: startsAt,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: 0,
    });
    const half = await open(market, startsAt + lengthMs / 2);
    expect(half?.volume).toBeLessThanOrEqual(closed.volume);
    expect(half?.high).toBeLessThanOrEqual(closed.high);
    expect(half?.low).toBeGreaterThanOrEqual(closed.low);
    const last = await open(market, startsAt + lengthMs - 1);
    expect(last).toMatchObject({ time: startsAt, open: price });
    expect(last?.volume).toBeGreaterThanOrEqual(half?.volume ?? 0);
  });

  it("moves from second to second", async () => {
    const market = { symbol: "BTC/USDT", timeframe: "1h" } as const;
    const seconds = [10_000, 11_000, 12_000, 13_000].map((ms) => open(market, NOW + ms));
    const closes = (await Promise.all(seconds)).map((candle) => candle?.close);
    expect(new Set(closes).size).toBeGreaterThan(1);
  });
});

describe("recorded markets", () => {
  it.each<[string, Timeframe]>([
    ["BTC/USDT", "1h"],
    ["XRP/USDT", "1h"],
    ["EUR/USD", "1h"],
    ["XAU/USD", "1h"],
    ["GBP/USD", "1d"],
  ])(
    "show the recording of %s at %s as it was, up to the turning point",
    async (symbol, timeframe) => {
      const recording = recordings.find(symbol, timeframe) ?? [];
      const { candles, notes } = await replay({ symbol, timeframe, now: REPLAY_TURNS_AT });
      expect(candles.map(withoutTime)).toEqual(recording.slice(-300).map(withoutTime));
      expect(notes).toEqual([RECORDED]);
    },
  );

  it("go back over the recording after the turning point, without a jump", async () => {
    const now = REPLAY_TURNS_AT + 5 * TIMEFRAME_MS["1h"];
    const { candles } = await replay({ symbol: "BTC/USDT", timeframe: "1h", limit: 10, now });
    const [, , , , last, turned] = candles;
    expect(turned).toMatchObject({ open: last?.close, close: last?.open, high: last?.high });
  });

  it("never jump, wherever in the recording they are", async () => {
    const { candles } = await replay({ symbol: "ETH/USDT", timeframe: "1d", limit: 2_500 });
    const jumps = candles.map((candle, index) =>
      Math.abs(candle.open / (candles[index - 1]?.close ?? candle.open) - 1),
    );
    expect(Math.max(...jumps)).toBeLessThan(0.001);
  });

  it.each<[string, Timeframe, Timeframe]>([
    ["BTC/USDT", "1d", "1h"],
    ["BNB/USDT", "4h", "1h"],
    ["EUR/USD", "1d", "1h"],
  ])("join %s at %s from recorded %s candles", async (symbol, to, from) => {
    const longer = await replay({ symbol, timeframe: to, limit: 20 });
    const shorter = await replay({ symbol, timeframe: from, limit: 600 });
    const joined = resample(shorter.candles, { from, to });
    expect(longer.candles.slice(-5)).toEqual(
      joined.filter(({ time }) => time >= (longer.candles.at(-5)?.time ?? 0)),
    );
    expect(longer.notes).toEqual([RECORDED]);
  });
});

const WITHIN_DAYS = ["1m", "1d", 3_000] as const;
const PAIRS = [
  ["1m", "5m", 500],
  ["1m", "15m", 500],
  ["5m", "30m", 500],
  ["15m", "1h", 500],
  ["1h", "4h", 500],
  WITHIN_DAYS,
  ["4h", "1d", 100],
] as const;

describe.each(PRODUCT_SYMBOLS)("the candles of %s", (symbol) => {
  it.each(isOneOfItsKind(symbol) ? PAIRS : [WITHIN_DAYS])(
    "agree between timeframes: %s adds up to %s",
    async (shorter, longer, limit) => {
      const { candles } = await replay({ symbol, timeframe: shorter, limit });
      const whole = await replay({ symbol, timeframe: longer, limit });
      const joined = resample(candles, { from: shorter, to: longer });
      const expected = whole.candles.slice(-joined.length);
      expect(joined.length).toBeGreaterThan(0);
      expect(joined.map(pricesOf)).toEqual(expected.map(pricesOf));
      for (const [index, { volume }] of joined.entries()) {
        const whole = expected[index]?.volume ?? -1;
        expect(volume / Math.max(whole, 1)).toBeCloseTo(whole / Math.max(whole, 1), 6);
      }
    },
  );

  it("have the price of the moment in every timeframe", async () => {
    clock.now = NOW;
    const series = await Promise.all(
      TIMEFRAMES.map((timeframe) =>
        replayed.candles({ symbol, timeframe, limit: 1, withOpen: true, abort: patient() }),
      ),
    );
    expect(new Set(series.map(({ open }) => open?.close)).size).toBe(1);
  });
});

describe("simulated markets", () => {
  it.each<[string, { level: number; dailyPercent: number }]>([
    ["SOL/USDT", { level: 190, dailyPercent: 3.8 }],
    ["USD/JPY", { level: 152, dailyPercent: 0.6 }],
    ["NAS100", { level: 25_000, dailyPercent: 1.3 }],
    ["BRENT", { level: 62, dailyPercent: 1.9 }],
  ])(
    "give %s a price and a volatility like the real one",
    async (symbol, { level, dailyPercent }) => {
      const { candles } = await replay({ symbol, timeframe: "1d", limit: 2_000 });
      const returns = candles.map(({ open, close }) => Math.log(close / open));
      const variance = returns.reduce((sum, value) => sum + value ** 2, 0) / returns.length;
      expect(Math.sqrt(variance) * 100).toBeGreaterThan(dailyPercent * 0.7);
      expect(Math.sqrt(variance) * 100).toBeLessThan(dailyPercent * 1.3);
      const closes = candles.map(({ close }) => close);
      expect(Math.min(...closes)).toBeGreaterThan(level / 4);
      expect(Math.max(...closes)).toBeLessThan(level * 4);
      const kurtosis =
        returns.reduce((sum, value) => sum + value ** 4, 0) / returns.length / variance ** 2;
      expect(kurtosis).toBeGreaterThan(3.5);
    },
  );

  it("are different from one another", async () => {
    const [ada, sol] = await Promise.all(
      ["ADA/USDT", "SOL/USDT"].map((symbol) => replay({ symbol, timeframe: "1h" })),
    );
    const direction = ({ open, close }: Candle) => Math.sign(close - open);
    const agreeing = ada?.candles.filter((candle, index) => {
      const other = sol?.candles[index];
      return other && direction(candle) === direction(other);
    });
    expect(agreeing?.length).toBeGreaterThan(90);
    expect(agreeing?.length).toBeLessThan(210);
  });
});

describe("on a weekend", () => {
  const SATURDAY = Date.UTC(2026, 10, 21, 12);

  it.each([
    ["XAU/USD", `${RECORDED} The real market is closed now; the demo goes on.`],
    ["SPX500", `${SIMULATED} The real market is closed now; the demo goes on.`],
    ["BTC/USDT", RECORDED],
  ])("the demo of %s goes on, and says what that is worth", async (symbol, note) => {
    const { candles, notes } = await replay({ symbol, timeframe: "1h", now: SATURDAY });
    expect(candles.at(-1)?.time).toBe(SATURDAY - TIMEFRAME_MS["1h"]);
    expect(notes).toEqual([note]);
  });
});

describe("a moment of the past", () => {
  it("is shown as it was then", async () => {
    clock.now = NOW;
    const market = { symbol: "ETH/USDT", timeframe: "1h", limit: 600 } as const;
    const { candles } = await replayed.candles({ ...market, until: PAST, abort: patient() });
    const then = await replay({ ...market, now: PAST });
    expect(candles).toEqual(then.candles);
  });
});

describe("what the demo does not have", () => {
  it.each(["NOPE/USDT", "SPX/USDT", "constructor", "__proto__"])(
    "is an unknown symbol: %s",
    async (symbol) => {
      await expect(replay({ symbol, timeframe: "1h" })).rejects.toMatchObject({
        name: "ProviderError",
        failure: "unknown-symbol",
      });
    },
  );
});

function withoutTime({ time: _, ...values }: Candle) {
  return values;
}

function pricesOf({ time, open, high, low, close }: Candle) {
  return { time, open, high, low, close };
}
