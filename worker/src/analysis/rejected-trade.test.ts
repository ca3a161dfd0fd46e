import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { expect, it } from "vitest";
import {
  adviceOf,
  liveSeries,
  memoryMarketData,
  recordedCandles,
  scriptedAnalyst,
} from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import type { Advice } from "./analyst.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { holdCandlesFor } from "./rules/rules-analyst.ts";
import { tradeLevels } from "./rules/score-market.ts";

/** The rules lean to buying at the end of these candles. */
const candles = recordedCandles("BTC-USDT.1h").slice(220, 520);
const market = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;
const brief = buildMarketBrief({ ...market, candles });
const atr = brief.indicators.atr14 ?? Number.NaN;

const rejectedBy = async (answers: readonly Advice[], costs = DEFAULT_TRADING_COSTS.crypto) => {
  const made = await generateSignal({
    request: { ...market, amount: 1_000, riskPercent: 1, leverage: 10 },
    marketData: memoryMarketData({ "BTC/USDT": liveSeries(candles) }),
    analyst: scriptedAnalyst([...answers]),
    costs,
    now: () => brief.lastCandleAt + 60_000,
    abort: new AbortController().signal,
  });
  return { signal: made.analysis.final_signal, rejected: made.rejectedTrade };
};

const tradeByRules = (side: "BUY" | "SELL") => {
  const levels = tradeLevels(brief, side === "BUY" ? 1 : -1);
  if (!levels) throw new Error("The rules have levels here.");
  return { side, ...levels, holdCandles: holdCandlesFor(brief, levels) };
};

const wait = adviceOf({ final_signal: "WAIT", entry: null, stop_loss: null, take_profit: null });
const sell = adviceOf({
  final_signal: "SELL",
  entry: brief.price,
  stop_loss: brief.price + 2 * atr,
  take_profit: brief.price - 4 * atr,
  hold_candles: 30,
});

it("of a WAIT is that to which the rules lean on the same candles, with their levels", async () => {
  expect(await rejectedBy([wait])).toEqual({ signal: "WAIT", rejected: tradeByRules("BUY") });
});

it("of a WAIT for its costs is the analyst's own trade", async () => {
  const high = { spread_percent: 0.2, commission_percent: 0.1 };
  const { signal, rejected } = await rejectedBy([sell], high);
  expect(signal).toBe("WAIT");
  expect(rejected).toMatchObject({ side: "SELL", holdCandles: 30 });
  expect(rejected?.stopLoss).toBeCloseTo(brief.price + 2 * atr, 1);
});

it("of levels that were rejected has their direction and the levels of the rules", async () => {
  const wrong = { ...sell, stop_loss: brief.price - atr };
  expect(await rejectedBy([wrong, wrong])).toEqual({
    signal: "WAIT",
    rejected: tradeByRules("SELL"),
  });
});

it("is none of a trade", async () => {
  expect(await rejectedBy([sell])).toEqual({ signal: "SELL", rejected: null });
});
