import { setImmediate } from "node:timers/promises";
import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import type { FinerCandles, Trade } from "@shared/outcomes/simulate-trade.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/provider-error.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { type BacktestRange, closeOf } from "./range.ts";

/** A trade that a strategy takes at the close of a candle. */
export interface Decision {
  trade: Trade;
  /** 0–100; null where the strategy states none. */
  confidence: number | null;
  /** What the position loses at its stop, in USD. */
  dollarRisk: number;
}

/** What decides, at the close of the candle at `bar`, by nothing but the candles up to it. */
export type Strategy = (bar: number) => Promise<Decision | null>;

/** Judges a trade that was made at the close of the candle at `bar`; null where the recording ends before it does. */
export type Resolver = (trade: Trade, bar: number) => Promise<Resolution | null>;

export interface SimulatedTrade extends Decision {
  judgement: Resolution | null;
}

/** Bars after which timers, signals and the screen get their turn. */
const BARS_PER_BREATH = 8;

interface WalkOptions {
  course: BacktestRange;
  decide: Strategy;
  judge: Resolver;
  /** Decide at every n-th bar only. */
  every: number;
  abort?: AbortSignal;
  onBar?: () => void;
}

/**
 * Walks through the bars of a course. One trade at a time: as a trader with one position would, nothing new is decided
 * while an order waits or a position is open.
 * @returns the trades, oldest first, and the last bar that was reached
 * @throws what `decide` throws, and the reason of `abort` if that fires before the first bar is done
 */
export async function simulateTrades(
  options: WalkOptions,
): Promise<{ trades: SimulatedTrade[]; lastBar: number }> {
  const { course, every, abort, onBar } = options;
  const { firstBar, lastBar } = course;
  const trades: SimulatedTrade[] = [];
  let flatFrom = 0;
  let walked = firstBar - 1;
  for (let bar = firstBar; bar <= lastBar; bar += 1) {
    if (bar % BARS_PER_BREATH === 0) await setImmediate();
    const isTurn = (bar - firstBar) % every === 0 && closeOf(course, bar) >= flatFrom;
    const trade = isTurn ? await takeTurn(options, bar) : null;
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

/** What is decided at a bar, and what becomes of it; nothing of a turn that was broken off. */
async function takeTurn(
  { decide, judge, abort }: WalkOptions,
  bar: number,
): Promise<SimulatedTrade | null> {
  if (abort?.aborted) return null;
  try {
    const decision = await decide(bar);
    return decision && { ...decision, judgement: await judge(decision.trade, bar) };
  } catch (error) {
    if (abort?.aborted) return null;
    throw error;
  }
}

const endOf = ({ judgement }: SimulatedTrade): number =>
  judgement ? Date.parse(judgement.resolved_at) : Number.POSITIVE_INFINITY;

/**
 * The product's own judge of signals, over recorded candles. `finerMarket` is asked for the finer candles of one whose
 * own figures do not tell what came first; where it has none, the worse counts.
 */
export function createResolver(options: {
  course: BacktestRange;
  finerMarket: MarketData;
  costs: TradingCosts;
  abort: AbortSignal;
}): Resolver {
  const { course, costs } = options;
  const { candles } = course.series;
  const now = (candles.at(-1)?.time ?? 0) + TIMEFRAME_MS[course.timeframe];
  const finer = finerCandles(options);
  return (trade, bar) =>
    resolveTrade({ trade, candles: candles.slice(bar + 1), finer, now, costs });
}

function finerCandles(options: {
  course: BacktestRange;
  finerMarket: MarketData;
  abort: AbortSignal;
}): FinerCandles {
  const { course, finerMarket, abort } = options;
  const { symbol, timeframe, series } = course;
  const archive = new CandleArchive({ live: finerMarket, replay: finerMarket });
  const market = { data: series.data, provider: series.provider, symbol, timeframe };
  return async (candle, of) => {
    // All of it is long past: nothing is on its way any more.
    const order = { candle, timeframe: of, now: Number.POSITIVE_INFINITY, abort };
    return archive.parts(market, order).catch((error: unknown) => {
      abort.throwIfAborted();
      // A provider that fails now has no finer candles for us: the worse counts, as where there are none.
      if (error instanceof ProviderError) return null;
      throw error;
    });
  };
}
