import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { SizingInput } from "@shared/contract/position-size.ts";
import { type TradingCosts, tradeCost } from "@shared/contract/resolution.ts";
import { sizePosition } from "@shared/domain/sizing.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import { EMPTY_SEGMENT, mergeSegments, segmentOf } from "@shared/stats/tally.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { isTooCostly } from "../analysis/validate-advice.ts";
import type { HoldMetrics } from "./report.ts";
import {
  type AtrAt,
  type BacktestRange,
  candleAt,
  closeOf,
  type Decision,
  type Resolver,
  type SimulatedTrade,
  type Strategy,
  simulateTrades,
  tradeAt,
} from "./simulate.ts";

export interface HoldResult {
  figures: HoldMetrics;
  /** Unix milliseconds. */
  from: number;
  /** Percent of the purchase price after each close, net of costs. */
  curve: { at: number; percent: number }[];
}

export function buyAndHold(
  course: BacktestRange,
  trades: readonly SimulatedTrade[],
  costs: TradingCosts,
): HoldResult {
  const { timeframe, series, firstBar } = course;
  const bought = candleAt(course, firstBar + 1).open;
  const held = series.candles.slice(firstBar + 1, course.lastBar + 2);
  const curve = held.map(({ time, close }) => ({
    at: time + TIMEFRAME_MS[timeframe],
    percent: (100 * (close - bought - tradeCost({ fill: bought, exit: close }, costs))) / bought,
  }));
  const changes = curve.map(({ percent }, index) => percent - (curve[index - 1]?.percent ?? 0));
  const { total, drawdown } = changes.map(segmentOf).reduce(mergeSegments, EMPTY_SEGMENT);
  const percentPerR = meanStopPercent(trades);
  const figures = {
    return_percent: total,
    max_drawdown_percent: drawdown,
    percent_per_r: percentPerR,
    total_r: percentPerR === null ? null : total / percentPerR,
  };
  return { figures, from: closeOf(course, firstBar), curve };
}

function meanStopPercent(trades: readonly SimulatedTrade[]): number | null {
  if (trades.length === 0) return null;
  const percents = trades.map(
    ({ trade: { entry, stopLoss } }) => (100 * Math.abs(entry - stopLoss)) / entry,
  );
  return percents.reduce((sum, percent) => sum + percent, 0) / percents.length;
}

/** Distances from the last close in ATR(14), positive towards the target. */
export interface LevelsInAtr {
  entryAtr: number;
  stopAtr: number;
  targetAtr: number;
  validCandles: number;
  holdCandles: number;
}

const CHANNEL_CANDLES = 20;

/** Stop of the Turtles, 2 ATR (Faith, "Way of the Turtle", 2007), and twice that as target. */
const ATR_RULE: LevelsInAtr = {
  entryAtr: 0,
  stopAtr: -2,
  targetAtr: 4,
  validCandles: 1,
  holdCandles: 24,
};

/** The geometry of a trade that was made while ATR(14) was `atr`. */
function geometryOf(trade: Trade, atr: number): LevelsInAtr {
  const { side, entry, stopLoss, takeProfit, holdCandles, validUntil, createdAt } = trade;
  const sign = side === "BUY" ? 1 : -1;
  const inAtr = (level: number) => (sign * (level - trade.price)) / atr;
  return {
    entryAtr: inAtr(entry),
    stopAtr: inAtr(stopLoss),
    targetAtr: inAtr(takeProfit),
    validCandles: (validUntil - createdAt) / TIMEFRAME_MS[trade.timeframe],
    holdCandles,
  };
}

/** Null where a level would not be a positive price. */
export function placeTrade(
  options: { course: BacktestRange; bar: number; side: Trade["side"]; atr: number },
  { entryAtr, stopAtr, targetAtr, validCandles, holdCandles }: LevelsInAtr,
): Trade | null {
  const { course, bar, side, atr } = options;
  const trade = tradeAt(course, bar);
  const sign = side === "BUY" ? 1 : -1;
  const level = (distanceAtr: number) => trade.price + sign * distanceAtr * atr;
  const entry = level(entryAtr);
  const stopLoss = level(stopAtr);
  const takeProfit = level(targetAtr);
  if (Math.min(entry, stopLoss, takeProfit) <= 0) return null;
  const validUntil = trade.createdAt + validCandles * TIMEFRAME_MS[course.timeframe];
  return { ...trade, side, entry, stopLoss, takeProfit, validUntil, holdCandles };
}

/** Breakout of Donchian's channel: buys above the high of the last 20 candles, sells below their low. */
export function atrRule({
  course,
  stake,
  costs,
  atrAt,
}: {
  course: BacktestRange;
  stake: SizingInput;
  costs: TradingCosts;
  atrAt: AtrAt;
}): Strategy {
  return async (bar) => {
    const side = breakout(course, bar);
    const atr = atrAt(bar);
    if (!side || atr === null) return null;
    const trade = placeTrade({ course, bar, side, atr }, ATR_RULE);
    return trade && !isTooCostly(trade, costs) ? sized(trade, stake) : null;
  };
}

function sized(trade: Trade, stake: SizingInput): Decision {
  const { symbol, entry, stopLoss } = trade;
  const { dollarRisk } = sizePosition({ advice: { entry, stop_loss: stopLoss }, symbol, stake });
  return { trade, confidence: null, dollarRisk };
}

function breakout(course: BacktestRange, bar: number): Trade["side"] | null {
  const before = course.series.candles.slice(Math.max(0, bar - CHANNEL_CANDLES), bar);
  if (before.length < CHANNEL_CANDLES) return null;
  const { close } = candleAt(course, bar);
  if (close > Math.max(...before.map(({ high }) => high))) return "BUY";
  return close < Math.min(...before.map(({ low }) => low)) ? "SELL" : null;
}

interface RandomOptions {
  course: BacktestRange;
  trades: readonly SimulatedTrade[];
  stake: SizingInput;
  costs: TradingCosts;
  atrAt: AtrAt;
  resolve: Resolver;
  repetitions: number;
  seed: number;
  onRepetition?: (() => void) | undefined;
}

/**
 * Shuffles the levels of the trades onto random bars and sides. A bar with an open trade or too high costs moves to the
 * next.
 */
export async function randomEntries(options: RandomOptions): Promise<SimulatedTrade[][]> {
  const { course, resolve, repetitions, seed, onRepetition } = options;
  const random = xoroshiro128plus(seed);
  const geometries = geometriesOf(options);
  const runs: SimulatedTrade[][] = [];
  for (let run = 0; run < repetitions; run += 1) {
    const decide = randomStrategy(options, { random, geometries });
    runs.push((await simulateTrades({ course, decide, resolve, every: 1 })).trades);
    onRepetition?.();
  }
  return runs;
}

function geometriesOf({ course, trades, atrAt }: RandomOptions): LevelsInAtr[] {
  return trades.flatMap(({ trade }) => {
    const bar = course.series.candles.findIndex((_, at) => closeOf(course, at) === trade.createdAt);
    const atr = atrAt(bar);
    return atr === null ? [] : geometryOf(trade, atr);
  });
}

function randomStrategy(
  { course, stake, costs, atrAt }: RandomOptions,
  { random, geometries }: { random: RandomGenerator; geometries: readonly LevelsInAtr[] },
): Strategy {
  const { firstBar, lastBar } = course;
  const bars = geometries.map(() => uniformInt(random, firstBar, lastBar)).sort((a, b) => a - b);
  const waiting = shuffled(geometries, random).map((geometry, index) => ({
    geometry,
    from: bars[index] ?? lastBar,
    side: uniformInt(random, 0, 1) === 1 ? ("BUY" as const) : ("SELL" as const),
  }));
  return async (bar) => {
    const atr = atrAt(bar);
    if (atr === null) return null;
    for (const [index, { geometry, from, side }] of waiting.entries()) {
      if (from > bar) break;
      const trade = placeTrade({ course, bar, side, atr }, geometry);
      if (!trade || isTooCostly(trade, costs)) continue;
      waiting.splice(index, 1);
      return sized(trade, stake);
    }
    return null;
  };
}

function shuffled<Item>(items: readonly Item[], random: RandomGenerator): Item[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(uniformInt(random, 0, rest.length - 1), 1));
}
