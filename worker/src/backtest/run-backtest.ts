import { MIN_SIGNALS } from "@shared/contract/constants.ts";
import { edgeStatement } from "@shared/contract/edge-statement.ts";
import { roundTripPercent, tradeCost } from "@shared/contract/resolution.ts";
import { computeMetrics } from "@shared/stats/performance-metrics.ts";
import {
  closedTrade,
  type PerformanceSample,
  type Tally,
  tallySignals,
} from "@shared/stats/tally.ts";
import { mean, quantile } from "simple-statistics";
import type { Analyst } from "../analysis/analyst.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { outcomeCategory } from "../record/performance-stats.ts";
import { type AnalystRecord, analystStrategy, type CacheUse } from "./analyst-strategy.ts";
import { atrRule, buyAndHold, type HoldResult, randomEntries } from "./baselines.ts";
import {
  type BacktestOptions,
  type BacktestReport,
  backtestReportSchema,
  type ChanceBand,
  type ChanceMetrics,
  type EquityCurves,
  REPORT_VERSION,
  type ReportedTrade,
  type StrategyMetrics,
} from "./report.ts";
import {
  atrOfBars,
  type BacktestRange,
  candleAt,
  closeOf,
  createResolver,
  type SimulatedTrade,
  simulateTrades,
} from "./simulate.ts";

type Reported = Pick<
  BacktestReport,
  "options" | "bars" | "analyst" | "figures" | "random" | "hold" | "trades" | "stopped_early"
>;

export function caveatsFor(report: Reported): string[] {
  const { options } = report;
  return [
    ...lengthCaveats(report),
    ...sizeCaveat(report),
    ...analystCaveat(options),
    "One market and one period: its trend is in every result. Past performance is not indicative of future results.",
    costCaveat(report),
    ...tradeCaveats(report),
  ];
}

function costCaveat({ options, trades }: Reported): string {
  const percent = Number(roundTripPercent(options.costs).toFixed(4));
  const costs = trades.flatMap(({ cost_r }) => cost_r ?? []);
  const share = costs.length === 0 ? "" : `, ${mean(costs).toFixed(2)} R on average`;
  return `Each trade pays ${percent}% of the price in spread and commission${share}. Slippage, overnight financing and wider spreads are not included.`;
}

function lengthCaveats({ options, bars, stopped_early: isStopped }: Reported): string[] {
  if (isStopped) return ["The run was stopped before its last bar: these are the results so far."];
  if (bars >= options.bars) return [];
  return [
    `Shorter than requested: after ${options.warm_up} candles of warm-up, the data has ${bars} of ${options.bars} closes to decide at.`,
  ];
}

function tradeCaveats({ trades, figures, analyst }: Reported): string[] {
  const unclear = trades.filter(({ judgement }) => judgement?.reason === "both").length;
  return [
    unclear > 0 &&
      `Trades that touched stop and target within one shortest candle count as lost: ${unclear}.`,
    figures.counts.pending > 0 &&
      "The last trade was still open where the data ends: it is in no figure.",
    analyst.failed > 0 &&
      `Bars at which the analyst gave no answer count as no trade: ${analyst.failed}.`,
  ].filter((caveat) => caveat !== false);
}

function sizeCaveat({ figures }: Reported): string[] {
  const { decided } = figures.counts;
  if (decided >= MIN_SIGNALS) return [];
  return [
    `Only ${decided} trades were won or lost. Rates are shown from ${MIN_SIGNALS} trades on: with fewer, chance alone moves them too far.`,
  ];
}

function analystCaveat({ analyst, from }: Reported["options"]): string[] {
  if (analyst === "openai") {
    return [
      "The model may have seen this period in its training. It was shown no later candle, but it may remember what came next: only periods after its training count.",
    ];
  }
  if (from !== "recorded") return [];
  return [
    "In-sample: the rules were written with these recordings at hand, so expect less of them on new data.",
  ];
}

/** States whether the trades beat chance and lost money, and compares them with random entries. */
export function verdictOn({ figures, random }: Pick<Reported, "figures" | "random">): string {
  const { as_good_share: asGood } = random;
  if (figures.trades === 0 || asGood === null) {
    return "No trade was closed, so there is nothing to compare.";
  }
  return [
    edgeStatement(figures),
    ...lossStatement(figures),
    `Random entries with the same levels did as well or better in ${Math.round(100 * asGood)}% of the runs.`,
  ].join(" ");
}

function lossStatement({ expectancy_r: mean }: StrategyMetrics): string[] {
  if (!mean || mean.high >= 0) return [];
  const interval = `95% interval ${formatR(mean.low)} to ${formatR(mean.high)}`;
  return [`A losing strategy here: ${formatR(mean.value)} per trade after costs (${interval}).`];
}

const signed = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});
const formatR = (value: number): string => `${signed.format(value).replace("-", "−")} R`;

export interface BacktestInput {
  options: BacktestOptions;
  course: BacktestRange;
  market: MarketData;
  /** Source of finer candles, which show whether stop or target was touched first. */
  finerMarket: MarketData;
  analyst: Analyst;
  cacheUse: CacheUse | null;
  now: () => number;
  productVersion: string;
  /** Ends the simulation; results up to then are still reported. */
  abort: AbortSignal;
  onBar?: () => void;
  onRepetition?: () => void;
}

/**
 * Simulates an analyst on recorded candles, and compares it with random entries, an ATR rule and buy and hold.
 * @throws ProviderError if the analyst fails repeatedly; the reason of `abort` if that fires before the first bar
 */
export async function runBacktest(input: BacktestInput): Promise<BacktestReport> {
  return composeReport(await simulate(input));
}

type Simulated = Awaited<ReturnType<typeof simulate>>;

async function simulate(input: BacktestInput) {
  const { options, course: whole, finerMarket, onRepetition } = input;
  const { every, limit, amount, risk_percent: riskPercent, leverage, costs } = options;
  const { seed, repetitions } = options;
  const stake = { amount, riskPercent, leverage };
  const resolve = createResolver({ course: whole, finerMarket, costs });
  const { decide, record } = analystStrategy({ ...input, stake, costs, limit });
  const { trades, lastBar } = await simulateTrades({ ...input, decide, resolve, every });
  // Up to the last simulated bar.
  const course = { ...whole, lastBar };
  const shared = { course, stake, costs, resolve, atrAt: atrOfBars(course) };
  const rule = await simulateTrades({ ...shared, decide: atrRule(shared), every });
  const runs = await randomEntries({ ...shared, trades, repetitions, seed, onRepetition });
  const hold = buyAndHold(course, trades, costs);
  return { input, course, record, trades, atrRuleTrades: rule.trades, runs, hold };
}

function composeReport(simulated: Simulated): BacktestReport {
  const { input, course, record, trades, atrRuleTrades, runs, hold } = simulated;
  const figures = metricsOfTrades(trades);
  const reported = {
    options: input.options,
    bars: course.lastBar - course.firstBar + 1,
    analyst: describeAnalyst(simulated),
    figures,
    random: chanceMetrics(runs, figures.total_r),
    hold: hold.figures,
    trades: trades.map(reportTrade),
    stopped_early: course.lastBar < input.course.lastBar,
  };
  return backtestReportSchema.parse({
    version: REPORT_VERSION,
    made_at: isoTime(input.now()),
    product_version: input.productVersion,
    ...reported,
    data: describeData(course),
    caveats: caveatsFor(reported),
    verdict: verdictOn(reported),
    confidence: computeMetrics(tallyTrades(trades)).confidence,
    atr_rule: metricsOfTrades(atrRuleTrades),
    curves: equityCurves({ hold, trades, atrRuleTrades, runs }),
    statements: reportStatements(record),
  });
}

const isoTime = (at: number): string => new Date(at).toISOString();

function metricsOfTrades(trades: readonly SimulatedTrade[]): StrategyMetrics {
  return { ...computeMetrics(tallyTrades(trades)), result_usd: resultUsd(trades) };
}

function describeData(course: BacktestRange): BacktestReport["data"] {
  const { series, firstBar, lastBar } = course;
  return {
    provider: series.provider,
    candles: series.candles.length,
    first_candle_at: isoTime(candleAt(course, 0).time),
    from: isoTime(closeOf(course, firstBar)),
    to: isoTime(closeOf(course, lastBar)),
  };
}

function describeAnalyst({ input, record }: Simulated): BacktestReport["analyst"] {
  const { statements, failed } = record;
  const source = statements.at(-1)?.analysis.source;
  const { cacheUse } = input;
  return {
    name: input.analyst.name,
    version: source?.analyst_version ?? null,
    model: source?.model ?? null,
    asked: statements.length + failed,
    waits: statements.filter(({ analysis }) => analysis.final_signal === "WAIT").length,
    failed,
    calls: cacheUse && { made: cacheUse.asked, kept: cacheUse.kept },
  };
}

function reportTrade({ trade, confidence, dollarRisk, resolution }: SimulatedTrade): ReportedTrade {
  const { createdAt, side, price, entry, stopLoss, takeProfit } = trade;
  return {
    at: isoTime(createdAt),
    side,
    confidence,
    price,
    entry,
    stop_loss: stopLoss,
    take_profit: takeProfit,
    dollar_risk: dollarRisk,
    cost_r: costInR({ trade, resolution }),
    judgement: resolution,
  };
}

function costInR({
  trade,
  resolution,
}: Pick<SimulatedTrade, "trade" | "resolution">): number | null {
  if (!resolution || resolution.fill === null || resolution.exit === null) return null;
  const { fill, exit, costs } = resolution;
  return tradeCost({ fill, exit }, costs) / Math.abs(trade.entry - trade.stopLoss);
}

const reportStatements = ({ statements }: AnalystRecord): BacktestReport["statements"] =>
  statements.map(({ at, analysis }) => ({
    at: isoTime(at),
    signal: analysis.final_signal,
    confidence: analysis.confidence,
    entry: analysis.entry,
    stop_loss: analysis.stop_loss,
    take_profit: analysis.take_profit,
  }));

function tallyTrades(trades: readonly SimulatedTrade[]): Tally {
  return tallySignals(trades.map(sampleOf));
}

/** The stake stays the same; results are not compounded. */
function resultUsd(trades: readonly SimulatedTrade[]): number {
  return trades.reduce(
    (sum, { resolution, dollarRisk }) => sum + (resolution?.r_multiple ?? 0) * dollarRisk,
    0,
  );
}

function sampleOf({ trade, confidence, resolution }: SimulatedTrade): PerformanceSample {
  const stated = { confidence: (confidence ?? 0) / 100, calibratedConfidence: null };
  if (!resolution) return { category: "pending", at: trade.createdAt, ...stated, trade: null };
  const { entry, stopLoss, takeProfit } = trade;
  return {
    category: outcomeCategory(resolution),
    at: Date.parse(resolution.resolved_at),
    ...stated,
    trade: closedTrade({ ...resolution, entry, stopLoss, takeProfit }),
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

function chanceMetrics(
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

function equityCurves(options: {
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
