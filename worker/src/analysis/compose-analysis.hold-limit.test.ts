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

const candles = recordedCandles("BTC-USDT.1h").slice(0, 300);
const market = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;
const { price, lastCandleAt } = buildMarketBrief({ ...market, candles });
const levels = { entry: price, stop_loss: price * 0.99, take_profit: price * 1.02 };

async function analysisFrom(advice: Partial<Advice>) {
  const { analysis } = await generateSignal({
    request: { ...market, amount: 1_000, riskPercent: 1, leverage: 10 },
    marketData: memoryMarketData({ "BTC/USDT": liveSeries(candles) }),
    analyst: scriptedAnalyst([adviceOf(advice)]),
    costs: DEFAULT_TRADING_COSTS.crypto,
    now: () => lastCandleAt + 60_000,
    abort: new AbortController().signal,
  });
  return analysis;
}

it.each([
  { hold_candles: 7, suggested_hold: "overnight", limit: 7, words: "7 candles (about 7 hours)" },
  {
    hold_candles: null,
    suggested_hold: "1-2 days (6-12 4h candles)",
    limit: 48,
    words: "48 candles (about 2 days)",
  },
  {
    hold_candles: null,
    suggested_hold: "We shall see.",
    limit: 24,
    words: "24 candles (about 24 hours)",
  },
])(
  "a trade held for $hold_candles candles, $suggested_hold, is closed after $limit, and its words say so",
  async ({ limit, words, ...hold }) => {
    const analysis = await analysisFrom({ final_signal: "BUY", ...levels, ...hold });
    expect(analysis).toMatchObject({
      final_signal: "BUY",
      hold_candles: limit,
      suggested_hold: words,
      trade_duration_text: expect.stringContaining(`after ${words} at the latest`),
    });
  },
);

it("a WAIT has no hold limit", async () => {
  expect((await analysisFrom({ hold_candles: 7 })).hold_candles).toBeNull();
});
