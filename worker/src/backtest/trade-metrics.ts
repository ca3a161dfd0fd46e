import {
  closedTrade,
  type PerformanceSample,
  type Tally,
  tallySignals,
} from "@shared/stats/tally.ts";
import { mean, quantile } from "simple-statistics";
import { outcomeCategory } from "../record/performance-stats.ts";
import type { HoldResult } from "./baselines.ts";
import type { ChanceBand, ChanceMetrics, EquityCurves } from "./report-schema.ts";
import type { SimulatedTrade } from "./simulate.ts";

export function tallyTrades(trades: readonly SimulatedTrade[]): Tally {
  return tallySignals(trades.map(sampleOf));
}

/** The stake stays the same; results are not compounded. */
export function resultUsd(trades: readonly SimulatedTrade[]): number {
  return trades.reduce(
    (sum, { resolution, dollarRisk }) => sum + (resolution?.r_multiple ?? 0) * dollarRisk,
    0,
  );
}

function sampleOf({ trade, confidence, resolution }: SimulatedTrade): PerformanceSample {
  const stated = { confidence: (confidence ?? 0) / 100, calibratedConfidence: null };
  if (!resolution) return { category: "pending", at: trade.createdAt, ...stated, trade: null };
  const { stopLoss, takeProfit } = trade;
  return {
    category: outcomeCategory(resolution),
    at: Date.parse(resolution.resolved_at),
    ...stated,
    trade: closedTrade({ ...resolution, stopLoss, takeProfit }),
  };
}

const BAND = { low: 0.05, high: 0.95 } as const;

function randomBaseline(values: readonly number[]): ChanceBand | null {
  if (values.length === 0) return null;
  return {
    mean: mean([...values]),
    low: quantile([...values], BAND.low),
    high: quantile([...values], BAND.high),
  };
}

export function chanceMetrics(
  runs: readonly (readonly SimulatedTrade[])[],
  totalR: number,
): ChanceMetrics {
  const tallies = runs.map(tallyTrades);
  const totals = tallies.map(({ equity }) => equity.total);
  const rates = tallies.flatMap(({ categories }) => {
    const decided = categories.win + categories.loss;
    return decided > 0 ? categories.win / decided : [];
  });
  const closed = tallies.filter(({ trades }) => trades.count > 0);
  return {
    repetitions: runs.length,
    trades: randomBaseline(tallies.map(({ trades }) => trades.count)),
    win_rate: randomBaseline(rates),
    expectancy_r: randomBaseline(closed.map(({ trades }) => trades.sum / trades.count)),
    total_r: randomBaseline(totals),
    result_usd: randomBaseline(runs.map(resultUsd)),
    max_drawdown_r: randomBaseline(tallies.map(({ equity }) => equity.drawdown)),
    as_good_share:
      totals.length === 0 ? null : totals.filter((total) => total >= totalR).length / totals.length,
  };
}

const MAX_POINTS = 240;

export function equityCurves(options: {
  hold: HoldResult;
  trades: readonly SimulatedTrade[];
  atrRuleTrades: readonly SimulatedTrade[];
  runs: readonly (readonly SimulatedTrade[])[];
}): EquityCurves {
  const { hold, trades, atrRuleTrades, runs } = options;
  const times = gridOf([hold.from, ...hold.curve.map(({ at }) => at)]);
  const runCurves = runs.map((run) => curveAt(times, run));
  const { percent_per_r: percentPerR } = hold.figures;
  return {
    times: times.map((at) => new Date(at).toISOString()),
    analyst: curveAt(times, trades),
    atr_rule: curveAt(times, atrRuleTrades),
    hold: percentPerR === null ? null : holdAt(times, hold).map((percent) => percent / percentPerR),
    random: bandAt(times, runCurves),
  };
}

function gridOf(times: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(times.length / MAX_POINTS));
  const last = times.length - 1;
  return times.filter((_, index) => (last - index) % step === 0 || index === 0);
}

function curveAt(times: readonly number[], trades: readonly SimulatedTrade[]): number[] {
  const results = trades.flatMap(({ resolution }) =>
    resolution?.r_multiple == null
      ? []
      : { at: Date.parse(resolution.resolved_at), r: resolution.r_multiple },
  );
  let [next, total] = [0, 0];
  return times.map((time) => {
    for (let result = results[next]; result && result.at <= time; result = results[next]) {
      total += result.r;
      next += 1;
    }
    return total;
  });
}

function holdAt(times: readonly number[], { curve }: HoldResult): number[] {
  const byTime = new Map(curve.map(({ at, percent }) => [at, percent]));
  return times.map((time) => byTime.get(time) ?? 0);
}

function bandAt(
  times: readonly number[],
  curves: readonly (readonly number[])[],
): EquityCurves["random"] {
  const bands = times.map((_, index) => randomBaseline(curves.map((curve) => curve[index] ?? 0)));
  const known = bands.filter((band) => band !== null);
  return known.length === times.length ? known : null;
}
