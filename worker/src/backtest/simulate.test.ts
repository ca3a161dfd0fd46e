import { type Candle, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { NO_TRADING_COSTS } from "@shared/testing/made-market.ts";
import { describe, expect, it } from "vitest";
import { candlesFromCloses, series } from "../testing/fakes.ts";
import { type LevelsInAtr, placeTrade } from "./baselines.ts";
import { recordedMarket } from "./recorded-market.ts";
import {
  type BacktestRange,
  closeOf,
  createResolver,
  type Strategy,
  simulateTrades,
} from "./simulate.ts";

/** A market at 100 that rises by 1 each hour, save where `closes` says otherwise. */
const rising = series(40, (index) => 100 + index);

const GEOMETRY: LevelsInAtr = {
  entryAtr: 0,
  stopAtr: -5,
  targetAtr: 5,
  validCandles: 1,
  holdCandles: 8,
};

function setUp(closes: readonly number[], finer: readonly Candle[] = []) {
  const candles = candlesFromCloses(closes);
  const own = { provider: "made", data: "replay" as const, notes: [] };
  const course: BacktestRange = {
    symbol: "MADE/USDT",
    timeframe: "1h",
    series: { ...own, candles },
    firstBar: 0,
    lastBar: candles.length - 2,
  };
  const finerMarket = recordedMarket((_, timeframe) =>
    timeframe === "30m" ? { ...own, candles: [...finer] } : undefined,
  );
  const resolve = createResolver({ course, finerMarket, costs: NO_TRADING_COSTS });
  const asked: number[] = [];
  const take = (side: "BUY" | "SELL", at: (bar: number) => boolean): Strategy => {
    return async (bar) => {
      asked.push(bar);
      const trade = at(bar) ? placeTrade({ course, bar, side, atr: 1 }, GEOMETRY) : null;
      return trade && { trade, confidence: 50, dollarRisk: 1 };
    };
  };
  return { course, resolve, take, asked };
}

describe("walking a market", () => {
  it("resolves a trade by the candles after it: won, lost, or held for too long", async () => {
    const { course, resolve, take } = setUp([...rising, ...series(20, () => 139)]);
    const outcomes = async (side: "BUY" | "SELL", bar: number) => {
      const decide = take(side, (at) => at === bar);
      const { trades } = await simulateTrades({ course, decide, resolve, every: 1 });
      return trades.map(({ resolution }) => resolution);
    };
    // Filled at the next open, 105; the target at 110 is passed by the candle that reaches 110.5, of the fifth hour.
    expect(await outcomes("BUY", 5)).toMatchObject([
      { outcome: "WIN", reason: "target", fill: 105, exit: 110, r_multiple: 1 },
    ]);
    expect(await outcomes("SELL", 5)).toMatchObject([
      { outcome: "LOSS", reason: "stop", fill: 105, exit: 110, r_multiple: -1 },
    ]);
    expect(await outcomes("BUY", 45)).toMatchObject([
      { outcome: "EXPIRED", reason: "hold-over", r_multiple: 0 },
    ]);
  });

  it("leaves a trade open that the recording does not decide", async () => {
    const { course, resolve, take } = setUp(series(40, () => 100));
    const decide = take("BUY", (bar) => bar === 36);
    const { trades } = await simulateTrades({ course, decide, resolve, every: 1 });
    expect(trades).toMatchObject([{ resolution: null }]);
  });

  it("asks nothing while a trade is open, and again at the close that ends it", async () => {
    const { course, resolve, take, asked } = setUp(rising);
    const decide = take("BUY", (bar) => bar === 5);
    const { trades } = await simulateTrades({ course, decide, resolve, every: 1 });
    const endedAt = Date.parse(trades[0]?.resolution?.resolved_at ?? "");
    const next = asked.find((bar) => bar > 5);
    expect(next).toBeGreaterThan(6);
    expect(closeOf(course, next ?? 0)).toBe(endedAt);
  });

  it("asks finer candles what came first", async () => {
    const at = (closes: number[]) => setUp(closes).course.series.candles;
    const closes = [100, 100, 100, 100, 100];
    const [, , wild] = at(closes);
    if (!wild) throw new Error("no candle");
    const halfMs = TIMEFRAME_MS["30m"];
    const wide = { ...wild, high: 106, low: 94 };
    const up = { ...wide, low: 100, close: 105 };
    const down = { ...wide, time: wide.time + halfMs, open: 105, high: 105 };
    const judged = async (finer: Candle[]) => {
      const { course, resolve, take } = setUp(closes, finer);
      course.series.candles[2] = wide;
      const decide = take("BUY", (bar) => bar === 0);
      const { trades } = await simulateTrades({ course, decide, resolve, every: 1 });
      return trades[0]?.resolution;
    };
    expect(await judged([up, down])).toMatchObject({ outcome: "WIN", reason: "target" });
    expect(await judged([])).toMatchObject({ outcome: "LOSS", reason: "both" });
  });

  it("decides at every n-th close only", async () => {
    const { course, resolve, take, asked } = setUp(rising);
    await simulateTrades({ course, decide: take("BUY", () => false), resolve, every: 10 });
    expect(asked).toEqual([0, 10, 20, 30]);
  });

  it("ends with what it has when it is stopped, and with the reason before the first bar", async () => {
    const { course, resolve, take } = setUp(rising);
    const controller = new AbortController();
    const inner = take("BUY", () => false);
    const decide: Strategy = (bar) => {
      if (bar === 12) controller.abort();
      return inner(bar);
    };
    const walk = { course, decide, resolve, every: 1, abort: controller.signal };
    expect(await simulateTrades(walk)).toEqual({ trades: [], lastBar: 11 });
    await expect(simulateTrades(walk)).rejects.toThrow("aborted");
  });
});
