import type { Candle } from "@shared/contract/market-data.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { recordedMarket } from "../backtest/recorded-market.ts";
import type { BacktestInput } from "../backtest/run-backtest.ts";
import { type BacktestRange, selectRange } from "../backtest/simulate.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { recordedCandles } from "./fakes.ts";

const BITCOIN = { symbol: "BTC/USDT", timeframe: "1h" } as const;

export const bitcoinCandles = (bars: number): Candle[] =>
  recordedCandles("BTC-USDT.1h").slice(0, 300 + bars);

export function backtestOf(
  candles: readonly Candle[],
  overrides: Partial<BacktestInput["options"]> = {},
): BacktestInput {
  const series: CandleSeries = {
    candles: [...candles],
    provider: "recording",
    data: "replay",
    notes: [],
  };
  const market = recordedMarket((symbol, timeframe) =>
    symbol === BITCOIN.symbol && timeframe === BITCOIN.timeframe ? series : undefined,
  );
  return {
    options: {
      ...BITCOIN,
      analyst: "rules",
      from: "recorded",
      bars: candles.length - 300,
      warm_up: 300,
      every: 1,
      limit: 50,
      amount: 100,
      risk_percent: 1,
      leverage: 10,
      costs: { spread_percent: 0.01, commission_percent: 0.05 },
      seed: 7,
      repetitions: 20,
      ...overrides,
    },
    course: courseOf(series),
    market,
    finerMarket: market,
    analyst: rulesAnalyst,
    cacheUse: null,
    now: () => Date.UTC(2026, 0, 1),
    productVersion: "0.0.0",
    abort: new AbortController().signal,
  };
}

function courseOf(series: CandleSeries): BacktestRange {
  const bars = series.candles.length;
  const course = selectRange({ ...BITCOIN, series, bars, warmUp: 300 });
  if (!course) throw new RangeError("too few candles for a test");
  return course;
}
