import type { Bench, BenchDetails } from "@shared/contract/analyst-bench.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { TradingCostTable } from "@shared/contract/resolution.ts";
import { tradeOfFigures } from "@shared/outcomes/simulate-trade.ts";
import { type JudgedAnalysis, sumBenchDay } from "@shared/stats/analyst-bench.ts";
import { createEvidence } from "../analysis/evidence/evidence-pack.ts";
import { marketAsOf } from "../backtest/recorded-market.ts";
import {
  type BacktestRange,
  closeOf,
  createResolver,
  type Resolver,
} from "../backtest/simulate.ts";
import { NO_EVENTS } from "../economic-events/economic-calendar.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { figuresOf } from "../record/append-records.ts";
import type { BenchArm } from "./arms.ts";
import { makeShadowAnalysis } from "./make-shadow-analysis.ts";
import { composeReport, judgedAnalysis } from "./measure-bench.ts";

/** Candles that an analysis is made from. */
const SEEN_CANDLES = 300;

export interface ReplayedMarket {
  course: BacktestRange;
  market: MarketData;
  finerMarket: MarketData;
}

interface ReplayOptions {
  arms: readonly BenchArm[];
  markets: readonly ReplayedMarket[];
  /** Closes from and until which candles are judged, Unix milliseconds. */
  from: number;
  to: number;
  costs: TradingCostTable;
  abort: AbortSignal;
}

/**
 * The bench over recorded candles: each arm sees those that were closed by then, and its trades are resolved by what
 * followed. No calendar is known of that time. Trades that are open where the recording ends are pending.
 * @throws the reason of `abort`
 */
export async function replayBench(
  options: ReplayOptions,
): Promise<{ bench: Bench; details: BenchDetails }> {
  const analyses: JudgedAnalysis[] = [];
  for (const market of options.markets) analyses.push(...(await replayMarket(options, market)));
  const days = new Map<string, JudgedAnalysis[]>();
  for (const analysis of analyses) {
    const day = new Date(analysis.closedAt).toISOString().slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), analysis]);
  }
  const sums = [...days].toSorted(([a], [b]) => a.localeCompare(b));
  const since = new Date(options.from);
  const arms = options.arms.map(({ id, key, label, analyst, model, isBaseline }) => {
    const name = analyst.name === "openai" ? ("openai" as const) : ("rules" as const);
    const { version } = analyst;
    const shown = { id, key, label, model, isBaseline, version, since };
    return { ...shown, analyst: name, mayBeAnalyst: false };
  });
  const setup = {
    ...{ isDemo: false, arms, budgetUsd: null, reportedAt: since },
    markets: options.markets.map(({ course: { symbol, timeframe } }) => ({ symbol, timeframe })),
  };
  return composeReport(setup, {
    days: sums.map(([day, ofDay]) => sumBenchDay(day, { analyses: ofDay, oldestOpen: new Map() })),
    records: new Map(),
    updatedAt: new Date(options.to),
  });
}

async function replayMarket(
  options: ReplayOptions,
  replayed: ReplayedMarket,
): Promise<JudgedAnalysis[]> {
  const { from, to, costs, abort } = options;
  const { course, finerMarket } = replayed;
  const resolve = createResolver({
    ...{ course, finerMarket },
    costs: costs[instrumentClass(course.symbol)],
  });
  const judged: JudgedAnalysis[] = [];
  for (let bar = course.firstBar; bar <= course.lastBar; bar += 1) {
    abort.throwIfAborted();
    const at = closeOf(course, bar);
    if (at >= from && at <= to)
      judged.push(...(await judgeBar(options, replayed, { bar, resolve })));
  }
  return judged;
}

async function judgeBar(
  { arms, costs, abort }: ReplayOptions,
  { course, market }: ReplayedMarket,
  { bar, resolve }: { bar: number; resolve: Resolver },
): Promise<JudgedAnalysis[]> {
  const { symbol, timeframe, series } = course;
  const closedAt = new Date(closeOf(course, bar));
  const marketData = marketAsOf(market, () => closedAt.getTime());
  const evidence = createEvidence({ marketData, events: NO_EVENTS, guard: "off" });
  const candles = series.candles.slice(Math.max(0, bar + 1 - SEEN_CANDLES), bar + 1);
  const deps = { marketData, evidence, tradingCosts: costs, now: () => closedAt };
  const task = { candle: { symbol, timeframe, closedAt }, series: { ...series, candles } };
  const judged: JudgedAnalysis[] = [];
  for (const arm of arms) {
    const analysis = await makeShadowAnalysis(deps, { arm, ...task }, abort);
    if (!analysis) continue;
    const trade = analysis.result ? tradeOfFigures(figuresOf(analysis)) : null;
    const resolution = trade && (await resolve(trade, bar));
    judged.push(judgedAnalysis(resolution ? { ...analysis, resolution } : analysis));
  }
  return judged;
}
