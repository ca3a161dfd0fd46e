import { MIN_SIGNALS } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { MarketDataSource } from "@shared/contract/market-data.ts";
import {
  MAX_EQUITY_POINTS,
  type Performance,
  type PerformanceCounts,
  type PerformanceQuery,
  type Reliability,
} from "@shared/contract/performance.ts";
import type { SignalSource } from "@shared/contract/signal.ts";
import { usageMetrics } from "./analyst-usage.ts";
import { edgeClaim } from "./edge-claim.ts";
import {
  type Estimate,
  effectiveSampleSize,
  groupIntoBlocks,
  meanInterval,
  shareInterval,
  sumOf,
} from "./intervals.ts";
import {
  addBuckets,
  addDays,
  addRejectedDays,
  addTrades,
  BUCKET_COUNT,
  baselineBrierScore,
  brierScore,
  type ConfidenceBucket,
  type DaySums,
  downsampleCurve,
  equityCurve,
  expectedCalibrationError,
  type Tally,
  type TradeSums,
} from "./tally.ts";

export type PerformanceMetrics = Omit<
  Performance,
  "since" | "updated_at" | "recorded" | "models" | "model"
>;

type BlockSums = Omit<DaySums, "day">;

/**
 * Metrics of a tally; null for those with too few signals. Intervals are clustered by blocks of time, since
 * overlapping trades depend on each other.
 */
export function computeMetrics(tally: Tally): PerformanceMetrics {
  const { trades, equity, hours, days } = tally;
  const curve = downsampleCurve(equityCurve(hours), MAX_EQUITY_POINTS);
  const blocks = groupIntoBlocks(days).map(addDays);
  const tradesOfBlocks = blocks.map(({ buckets }) => addTrades(buckets));
  const breakEven = breakEvenEdge(trades);
  const confidence = reliabilityOf(blocks.map(({ buckets }) => buckets));
  return {
    counts: countsOf(tally.categories),
    ...winMetrics(tradesOfBlocks),
    break_even_edge: breakEven,
    ...edgeClaim(tradesOfBlocks, breakEven),
    trades: trades.count,
    effective_trades: effectiveTrades(tradesOfBlocks),
    ...tradeMetrics(tally, blocks),
    total_r: equity.total,
    equity: curve.map(({ at, r }) => ({ at: new Date(at).toISOString(), r })),
    baseline_brier: confidence.baseline_brier,
    brier_skill: confidence.brier_skill,
    confidence,
    calibrated: reliabilityOf(blocks.map(({ calibratedBuckets }) => calibratedBuckets)),
    waits: waitMetrics(tally.rejected),
    ...usageMetrics(tally.usage),
  };
}

/**
 * The edge at which the result after costs is 0, if every trade had it: an edge gains that share of the distance from
 * stop to target.
 */
const breakEvenEdge = ({ count, costs, ranges }: Tally["trades"]): number | null =>
  count < MIN_SIGNALS ? null : costs / ranges;

/** What the trades would have done that WAITs rejected. */
function waitMetrics({ notFilled, days }: Tally["rejected"]): PerformanceMetrics["waits"] {
  const blocks = groupIntoBlocks(days).map(addRejectedDays);
  const results = blocks.map((block) => block.results);
  const edges = blocks.map((block) => block.edges);
  const judged = sumOf(results, "count");
  const isEnough = judged >= MIN_SIGNALS;
  return {
    judged,
    not_filled: notFilled,
    total_r: sumOf(results, "sum"),
    expectancy_r: isEnough ? meanInterval(results) : null,
    lift: isEnough ? meanInterval(edges) : null,
  };
}

function countsOf(categories: Tally["categories"]): PerformanceCounts {
  return {
    decided: categories.win + categories.loss,
    wins: categories.win,
    losses: categories.loss,
    expired: categories.expired,
    not_filled: categories["not-filled"],
    waits: categories.wait,
    failed: categories.failed,
    pending: categories.pending,
  };
}

type WinMetrics = Pick<PerformanceMetrics, "win_rate" | "no_edge_rate" | "lift">;

function winMetrics(blocks: readonly TradeSums[]): WinMetrics {
  const { decided, closed, decidedChanceSum } = addTrades(blocks);
  const isDecided = decided >= MIN_SIGNALS;
  const isClosed = closed >= MIN_SIGNALS;
  return {
    win_rate: isDecided ? shareInterval(blocks.map(decidedTrades)) : null,
    no_edge_rate: isDecided ? decidedChanceSum / decided : null,
    lift: isClosed ? shareInterval(blocks.map(closedTrades)) : null,
  };
}

const decidedTrades = ({ decided, wins }: TradeSums) => ({ count: decided, sum: wins });

const closedTrades = ({ closed, scoreSum, chanceSum }: TradeSums) => ({
  count: closed,
  sum: scoreSum,
  baselines: chanceSum,
});

const effectiveTrades = (blocks: readonly TradeSums[]): number =>
  Math.round(
    effectiveSampleSize(
      blocks.map(({ closed, scoreSum, chanceSum, edgeSquareSum }) => ({
        count: closed,
        sum: scoreSum - chanceSum,
        squareSum: edgeSquareSum,
      })),
    ),
  );

/** Expectancy, profit factor (null without losses) and maximum drawdown of all closed trades. */
function tradeMetrics(
  { trades, equity }: Tally,
  blocks: readonly BlockSums[],
): Pick<PerformanceMetrics, "expectancy_r" | "profit_factor" | "max_drawdown_r"> {
  if (trades.count < MIN_SIGNALS) {
    return { expectancy_r: null, profit_factor: null, max_drawdown_r: null };
  }
  return {
    expectancy_r: meanInterval(blocks.map(({ results }) => results)),
    profit_factor: trades.losses > 0 ? trades.gains / trades.losses : null,
    max_drawdown_r: equity.drawdown,
  };
}

function reliabilityOf(blocks: readonly (readonly ConfidenceBucket[])[]): Reliability {
  const buckets = addBuckets(blocks.flat()).filter(({ decided }) => decided > 0);
  const { decided } = addTrades(buckets);
  const isEnough = decided >= MIN_SIGNALS;
  return {
    decided,
    brier: isEnough ? brierScore(buckets) : null,
    baseline_brier: isEnough ? baselineBrierScore(buckets) : null,
    brier_skill: isEnough ? brierSkill(blocks) : null,
    ece: isEnough ? expectedCalibrationError(buckets) : null,
    buckets: buckets.map((bucket) => ({
      from: (bucket.index * 100) / BUCKET_COUNT,
      to: ((bucket.index + 1) * 100) / BUCKET_COUNT,
      decided: bucket.decided,
      wins: bucket.wins,
      stated: bucket.statedSum / bucket.decided,
      won: bucket.wins / bucket.decided,
      ...winMetrics(blocks.map((block) => addTrades(withIndex(block, bucket)))),
    })),
  };
}

/**
 * Share by which the stated chances have a smaller Brier score than the baseline win rates: 1 is perfect, 0 is no better
 * than the levels alone. A ratio of sums over clusters, so its interval is that of a mean weighted by the baseline's errors.
 */
const brierSkill = (blocks: readonly (readonly ConfidenceBucket[])[]): Estimate | null =>
  meanInterval(
    blocks.map((block) => {
      const baseline = sumOf(block, "chanceSquareErrorSum");
      return { count: baseline, sum: baseline - sumOf(block, "squareErrorSum") };
    }),
  );

const withIndex = (buckets: readonly ConfidenceBucket[], { index }: ConfidenceBucket) =>
  buckets.filter((bucket) => bucket.index === index);

interface RecordedAnalysis {
  symbol: string;
  timeframe: string;
  result: {
    analysis: { source: Pick<SignalSource, "data" | "analyst" | "analyst_version" | "model"> };
  };
}

/** Version of analyses without one. */
export const UNVERSIONED = "unversioned";

const ANY = "*";
const ofClass = (name: string) => `class:${name}`;

/** The key of a series; `*` stands for all. */
const keyOf = (...parts: string[]): string => parts.join("|");

/** An analysis that failed before it had data counts as live. */
const dataOf = ({ result }: RecordedAnalysis): MarketDataSource =>
  result.analysis.source.data === "replay" ? "replay" : "live";

/** The series of a query; null if its symbol and its class exclude each other. */
export function seriesOf(
  query: Omit<PerformanceQuery, "analyst"> & { analyst?: string | undefined },
): string | null {
  const { data, symbol, class: wanted, timeframe = ANY } = query;
  const { analyst = ANY, version = ANY, model = ANY } = query;
  if (symbol && wanted && instrumentClass(symbol) !== wanted) return null;
  const market = symbol ?? (wanted ? ofClass(wanted) : ANY);
  return keyOf(data, market, timeframe, analyst, version, model);
}

/** All series of an analysis: one for each combination of filters that includes it. */
export function seriesKeysOf(analysis: RecordedAnalysis): string[] {
  const { symbol, timeframe } = analysis;
  const {
    analyst,
    analyst_version: version = UNVERSIONED,
    model,
  } = analysis.result.analysis.source;
  const data = dataOf(analysis);
  const markets = [symbol, ofClass(instrumentClass(symbol)), ANY];
  const authors = [model, ANY].flatMap((name) => [
    [analyst, version, name],
    [analyst, ANY, name],
    [ANY, ANY, name],
  ]);
  return markets.flatMap((market) =>
    [timeframe, ANY].flatMap((length) =>
      authors.map((author) => keyOf(data, market, length, ...author)),
    ),
  );
}

/** A combination of filters that has analyses. */
export interface RecordedKind {
  data: MarketDataSource;
  symbol: string;
  analyst: string;
  version: string;
  model: string;
}

/** The filter choices that an analysis adds; null if no analyst made it. */
export function recordedKindOf(analysis: RecordedAnalysis): RecordedKind | null {
  const {
    analyst,
    analyst_version: version = UNVERSIONED,
    model,
  } = analysis.result.analysis.source;
  return analyst === "none"
    ? null
    : { data: dataOf(analysis), symbol: analysis.symbol, analyst, version, model };
}
