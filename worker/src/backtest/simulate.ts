import { setImmediate } from "node:timers/promises";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Resolution, TradingCosts } from "@shared/contract/resolution.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import type { FinerCandles, Trade } from "@shared/outcomes/simulate-trade.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { type BacktestRange, closeOf } from "./range.ts";

export interface Decision {
  trade: Trade;
  /** 0–100; null where the strategy states none. */
  confidence: number | null;
  dollarRisk: number;
}

export type Strategy = (bar: number) => Promise<Decision | null>;

/** Null where the recording ends before the trade does. */
export type Resolver = (trade: Trade, bar: number) => Promise<Resolution | null>;

export interface SimulatedTrade extends Decision {
  resolution: Resolution | null;
}

const BARS_PER_PAUSE = 8;

interface SimulationOptions {
  course: BacktestRange;
  decide: Strategy;
  resolve: Resolver;
  every: number;
  abort?: AbortSignal;
  onBar?: () => void;
}

/**
 * Simulates one trade at a time: no decision while an order waits or a position is open.
 * @throws the reason of `abort` if that fires before the first bar is done
 */
export async function simulateTrades(
  options: SimulationOptions,
): Promise<{ trades: SimulatedTrade[]; lastBar: number }> {
  const { course, every, abort, onBar } = options;
  const { firstBar, lastBar } = course;
  const trades: SimulatedTrade[] = [];
  let flatFrom = 0;
  let walked = firstBar - 1;
  for (let bar = firstBar; bar <= lastBar; bar += 1) {
    if (bar % BARS_PER_PAUSE === 0) await setImmediate();
    const isDue = (bar - firstBar) % every === 0 && closeOf(course, bar) >= flatFrom;
    const trade = isDue ? await simulateBar(options, bar) : null;
    if (abort?.aborted) break;
    if (trade) {
      trades.push(trade);
      flatFrom = endOf(trade);
    }
    walked = bar;
    onBar?.();
  }
  if (walked < firstBar) abort?.throwIfAborted();
  return { trades, lastBar: walked };
}

async function simulateBar(
  { decide, resolve, abort }: SimulationOptions,
  bar: number,
): Promise<SimulatedTrade | null> {
  if (abort?.aborted) return null;
  try {
    const decision = await decide(bar);
    return decision && { ...decision, resolution: await resolve(decision.trade, bar) };
  } catch (error) {
    if (abort?.aborted) return null;
    throw error;
  }
}

const endOf = ({ resolution }: SimulatedTrade): number =>
  resolution ? Date.parse(resolution.resolved_at) : Number.POSITIVE_INFINITY;

/** Resolves trades like those of signals. Without finer candles, the worse outcome counts. */
export function createResolver(options: {
  course: BacktestRange;
  finerMarket: MarketData;
  costs: TradingCosts;
}): Resolver {
  const { course, costs, finerMarket } = options;
  const { candles } = course.series;
  const now = (candles.at(-1)?.time ?? 0) + TIMEFRAME_MS[course.timeframe];
  const finer = finerCandles(course, finerMarket);
  return (trade, bar) =>
    resolveTrade({ trade, candles: candles.slice(bar + 1), finer, now, costs });
}

function finerCandles(
  { symbol, timeframe, series }: BacktestRange,
  finerMarket: MarketData,
): FinerCandles {
  // The results up to an abort are compared too.
  const abort = new AbortController().signal;
  const archive = new CandleArchive({ live: finerMarket, replay: finerMarket });
  const market = { data: series.data, provider: series.provider, symbol, timeframe };
  return async (candle, of) => {
    // All candles are long past, none will still arrive.
    const order = { candle, timeframe: of, now: Number.POSITIVE_INFINITY, abort };
    return archive.parts(market, order).catch((error: unknown) => {
      if (error instanceof ProviderError) return null;
      throw error;
    });
  };
}
