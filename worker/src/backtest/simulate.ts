import { setImmediate } from "node:timers/promises";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { Resolution, TradingCosts } from "@shared/contract/resolution.ts";
import { validUntil } from "@shared/contract/signal.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import type { FinerCandles, Trade } from "@shared/outcomes/simulate-trade.ts";
import { ATR } from "trading-signals";
import { type CandleSeries, type MarketData, ProviderError } from "../market-data/market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";

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

export interface BacktestRange {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  /** Indices of the first and last candle with a decision; candles before the first are warm-up. */
  firstBar: number;
  lastBar: number;
}

/** Unix milliseconds. */
export function closeOf(course: BacktestRange, index: number): number {
  return candleAt(course, index).time + TIMEFRAME_MS[course.timeframe];
}

export function candleAt({ series }: BacktestRange, index: number): Candle {
  const candle = series.candles[index];
  if (!candle) throw new RangeError(`There is no candle ${index}.`);
  return candle;
}

/** The last `bars` candles after `warmUp` ones; null with too few candles. */
export function selectRange(options: {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  bars: number;
  warmUp: number;
}): BacktestRange | null {
  const { symbol, timeframe, bars, warmUp } = options;
  const candles = options.series.candles.slice(-(bars + warmUp));
  // A decision needs the candles before it, and one after it to resolve a trade.
  if (candles.length < warmUp + 2) return null;
  const series = { ...options.series, candles };
  return { symbol, timeframe, series, firstBar: warmUp - 1, lastBar: candles.length - 2 };
}

/** A trade at the close of a bar, without its side and levels. */
export function tradeAt(
  course: BacktestRange,
  bar: number,
): Pick<Trade, "symbol" | "timeframe" | "price" | "createdAt" | "validUntil"> {
  const { symbol, timeframe } = course;
  const createdAt = closeOf(course, bar);
  return {
    symbol,
    timeframe,
    createdAt,
    price: candleAt(course, bar).close,
    validUntil: validUntil({ timeframe, lastCandleAt: createdAt }),
  };
}

export type AtrAt = (bar: number) => number | null;

export function atrOfBars({ series }: BacktestRange): AtrAt {
  const atr = new ATR(14);
  const values = series.candles.map((candle) => atr.add(candle));
  return (bar) => values[bar] || null;
}
