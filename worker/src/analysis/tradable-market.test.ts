import { TIMEFRAME_MS, type Timeframe, timeframeSchema } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS, type TradingCosts } from "@shared/contract/resolution.ts";
import { describe, expect, it } from "vitest";
import {
  adviceOf,
  candlesFromCloses,
  liveSeries,
  memoryMarketData,
  recordedCandles,
  scriptedAnalyst,
} from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { signalProvenanceSchema } from "./provenance.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";
import { untradableReason } from "./tradable-market.ts";
import { canPass, costWarnings, TRADE_BOUNDS, validateAdvice } from "./validate-advice.ts";

const COSTS = DEFAULT_TRADING_COSTS.crypto;
const minutes = recordedCandles("BTC-USDT.1m");
const market = { symbol: "BTC/USDT", timeframe: "1m", limit: 50 } as const;

const reasonFor = (candles = minutes, costs: TradingCosts = COSTS, timeframe: Timeframe = "1m") =>
  untradableReason({
    brief: buildMarketBrief({ ...market, timeframe, candles }),
    candles,
    costs,
  });

/** 300 candles that swing by `swing`. */
const swinging = (swing: number, timeframe: Timeframe = "1m") =>
  candlesFromCloses(
    Array.from({ length: 300 }, (_, index) => 1_000 + (index % 2) * swing),
    { timeframe, reach: 0 },
  );

const isTradable = (swing: number) => reasonFor(swinging(swing)) === null;

describe("a market whose costs no trade can bear", () => {
  it("names the costs, the farthest stop and the shortest timeframe that would do", () => {
    expect(reasonFor(swinging(0.5))).toMatch(
      /^No trade is possible in 1m: with the farthest stop, 0\.5% from the entry \(10 ATR\), its trading costs of 0\.11% of the price would still take more than 15% of its risk\. The shortest timeframe that would do is \d+[mh]\.$/,
    );
  });

  it.each([0.3, 0.5, 0.7])("names a timeframe that does, for swings of %f", (swing) => {
    const named = /would do is (\w+)\.$/.exec(reasonFor(swinging(swing)) ?? "")?.[1];
    const timeframe = timeframeSchema.parse(named);
    const sameMarket = recordedLike(swing, timeframe);
    expect(reasonFor(sameMarket, COSTS, timeframe)).toBeNull();
  });

  it("says if no timeframe would do", () => {
    expect(reasonFor(swinging(0.5), { spread_percent: 5, commission_percent: 5 })).toMatch(
      /No longer timeframe would do\.$/,
    );
    expect(reasonFor(swinging(0.5, "1d"), COSTS, "1d")).toMatch(/No longer timeframe would do\.$/);
  });

  it("includes one that does not move, even without costs", () => {
    const free = { spread_percent: 0, commission_percent: 0 };
    expect(reasonFor(swinging(0), free)).not.toBeNull();
    expect(reasonFor(swinging(0.5), free)).toBeNull();
  });

  it("is as frequent in recorded one-minute candles as their ATR says", () => {
    const ends = Array.from({ length: 40 }, (_, index) => 300 + index * 15);
    const untradable = ends.filter((end) => reasonFor(minutes.slice(end - 300, end)) !== null);
    const quiet = ends.filter((end) => {
      const { price, indicators } = buildMarketBrief({
        ...market,
        candles: minutes.slice(end - 300, end),
      });
      return (10 * (indicators.atr14 ?? 0)) / price < 0.0011 / 0.15;
    });
    expect(untradable.length).toBeGreaterThan(0);
    expect(Math.abs(untradable.length - quiet.length)).toBeLessThanOrEqual(2);
  });
});

/** The random walk that has the range of the swing in each minute. */
const recordedLike = (swing: number, timeframe: Timeframe) =>
  swinging(swing * Math.sqrt(TIMEFRAME_MS[timeframe] / TIMEFRAME_MS["1m"]), timeframe);

it("a trade passes the checks exactly where the check before the call says that one can", () => {
  for (let swing = 0.6; swing <= 0.9; swing += 0.01) {
    const { price, scale, indicators } = buildMarketBrief({ ...market, candles: swinging(swing) });
    const atr = indicators.atr14 ?? 0;
    const bounds = { price, atr, scale };
    const entry = Math.ceil((price - TRADE_BOUNDS.maxEntryAtr * atr) / scale.tick) * scale.tick;
    const risk = Math.floor((TRADE_BOUNDS.maxStopAtr * atr) / scale.tick) * scale.tick;
    const best = adviceOf({
      final_signal: "BUY",
      entry,
      stop_loss: entry - risk,
      take_profit: entry + risk + scale.tick,
    });
    const checked = validateAdvice(best, bounds);
    const passes = checked.accepted && costWarnings(checked.advice, COSTS).length === 0;
    expect({ swing, passes }).toEqual({ swing, passes: canPass(bounds, COSTS) });
    expect(isTradable(swing)).toBe(passes);
  }
});

describe("the signal of such a market", () => {
  const candles = swinging(0.5);
  const lastCandleAt = (candles.at(-1)?.time ?? Number.NaN) + 60_000;
  const signalBy = (analyst: Parameters<typeof generateSignal>[0]["analyst"], asksAlways = false) =>
    generateSignal({
      request: { ...market, amount: 1_000, riskPercent: 1, leverage: 10 },
      chartImage: "data:image/png;base64,AAAA",
      marketData: memoryMarketData({ "BTC/USDT": { ...liveSeries(candles), notes: ["A note."] } }),
      analyst,
      asksAlways,
      costs: COSTS,
      now: () => lastCandleAt + 5_000,
      abort: new AbortController().signal,
      beforeAnalyst: () => Promise.reject(new Error("The budget is used up.")),
    });

  it("is a WAIT with the reason, for which no analyst was asked", async () => {
    const analyst = scriptedAnalyst([]);
    const { analysis, provenance } = await signalBy(analyst);
    expect(analyst.asked).toEqual([]);
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      suggested_units: 0,
      valid_until: null,
      warnings: [
        "A note.",
        expect.stringMatching(
          /^No trade is possible in 1m: .* No analysis was made, and you were not charged\.$/,
        ),
      ],
      source: { analyst: "none", model: "none", provider: "memory", price: 1_000.5 },
    });
    expect(signalProvenanceSchema.parse(provenance)).toMatchObject({
      analyst: "none",
      calls: [],
      usage: null,
    });
  });

  it("is the same with the rules", async () => {
    const { analysis } = await signalBy(rulesAnalyst);
    expect(analysis).toMatchObject({ final_signal: "WAIT", source: { analyst: "none" } });
  });

  it("comes from the analyst where an earlier version asked it", async () => {
    await expect(signalBy(scriptedAnalyst([adviceOf({})]), true)).rejects.toThrow("budget");
  });
});
