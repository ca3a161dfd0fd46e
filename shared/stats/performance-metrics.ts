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
import { effectiveSampleSize, groupIntoBlocks, meanInterval, shareInterval } from "./intervals.ts";
import {
  addBuckets,
  addDays,
  addTrades,
  BUCKET_COUNT,
  brierScore,
  type ConfidenceBucket,
  type DaySums,
  downsampleCurve,
  equityCurve,
  expectedCalibrationError,
  type Tally,
  type TradeSums,
} from "./tally.ts";

export type PerformanceMetrics = Omit<Performance, "since" | "updated_at" | "recorded" | "models">;

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
  return {
    counts: countsOf(tally.categories),
    ...winMetrics(tradesOfBlocks),
    trades: trades.count,
    effective_trades: effectiveTrades(tradesOfBlocks),
    ...tradeMetrics(tally, blocks),
    total_r: equity.total,
    equity: curve.map(({ at, r }) => ({ at: new Date(at).toISOString(), r })),
    confidence: reliabilityOf(blocks.map(({ buckets }) => buckets)),
    calibrated: reliabilityOf(blocks.map(({ calibratedBuckets }) => calibratedBuckets)),
    ...usageMetrics(tally.usage),
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
  const { decided, closed, chanceSum } = addTrades(blocks);
  const isDecided = decided >= MIN_SIGNALS;
  const isClosed = closed >= MIN_SIGNALS;
  return {
    win_rate: isDecided ? shareInterval(blocks.map(decidedTrades)) : null,
    no_edge_rate: isClosed ? chanceSum / closed : null,
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
