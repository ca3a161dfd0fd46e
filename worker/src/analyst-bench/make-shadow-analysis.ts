import { instrumentClass } from "@shared/contract/instruments.ts";
import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type {
  ShadowAnalysisRecord,
  ShadowProvenance,
} from "@shared/database/models/analyst-bench.ts";
import { dayOf } from "@shared/domain/ai-budget.ts";
import { Types } from "mongoose";
import { analyseMarket } from "../analysis/analyse-market.ts";
import { type TokenUsage, totalUsage } from "../analysis/analyst.ts";
import { createEvidence, type EvidenceProvider } from "../analysis/evidence/evidence-pack.ts";
import type { MarketRequest } from "../analysis/fetch-candles.ts";
import { hashCandles, type SignalProvenance, sha256 } from "../analysis/provenance.ts";
import { withDeadline } from "../deadline.ts";
import { NO_EVENTS } from "../economic-events/economic-calendar.ts";
import { type CandleSeries, type MarketData, ProviderError } from "../market-data/market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import {
  ANONYMOUS_SYMBOL,
  type Disguise,
  disguiseMarket,
  disguiseOf,
  disguiseSeries,
  revealAnalysis,
} from "./anonymise.ts";
import type { BenchArm, BenchMarket } from "./arms.ts";
import { BenchBudgetError } from "./spending.ts";

/** As an analysis of a user, which has 54 s. */
const ANALYSIS_TIMEOUT_MS = 60_000;

export interface BenchCandle extends BenchMarket {
  closedAt: Date;
}

export type ShadowDeps = Pick<WorkerDeps, "marketData" | "evidence" | "tradingCosts"> & {
  now: () => Date;
};

/** One for each arm and candle. */
export const shadowKey = (armKey: string, { symbol, timeframe, closedAt }: BenchCandle): string =>
  `${armKey}|${symbol}|${timeframe}|${closedAt.toISOString()}`;

/**
 * The analysis of an arm. What its analyst fails at is a failed analysis.
 * @param series that all arms judge
 * @returns null if the budget of the day is used up
 * @throws the reason of `abort`
 */
export async function makeShadowAnalysis(
  deps: ShadowDeps,
  {
    arm,
    candle,
    series,
    isDemo,
  }: { arm: BenchArm; candle: BenchCandle; series: CandleSeries; isDemo?: boolean },
  abort: AbortSignal,
): Promise<ShadowAnalysisRecord | null> {
  const startedAt = deps.now();
  const spent: TokenUsage[] = [];
  const request: MarketRequest = {
    symbol: candle.symbol,
    timeframe: candle.timeframe,
    limit: arm.limit,
    candleClosedAt: candle.closedAt,
  };
  const common = { arm, candle, startedAt, isDemo, series };
  const latencyMs = stopwatch();
  try {
    const { analysis, provenance } = await withDeadline(abort, ANALYSIS_TIMEOUT_MS, (deadline) =>
      analyse(deps, { arm, request, series, spent }, deadline),
    );
    const shown = {
      ...analysis,
      source: { ...analysis.source, ...(isDemo && { demo_record: true as const }) },
    };
    return completed(common, {
      analysis: shown,
      provenance,
      finishedAt: isDemo ? candle.closedAt : deps.now(),
      latencyMs: isDemo ? 0 : latencyMs(provenance),
      usage: totalUsage(spent),
    });
  } catch (error) {
    abort.throwIfAborted();
    if (error instanceof BenchBudgetError) return null;
    return failed(common, {
      finishedAt: deps.now(),
      failure: error instanceof ProviderError ? error.message : "The analysis could not be made.",
      usage: totalUsage(spent),
    });
  }
}

function stopwatch(): (provenance: SignalProvenance) => number {
  const from = performance.now();
  return ({ durationsMs }) => Math.min(durationsMs.analysing, performance.now() - from);
}

interface ArmTask {
  arm: BenchArm;
  request: MarketRequest;
  series: CandleSeries;
  spent: TokenUsage[];
}

async function analyse(
  deps: ShadowDeps,
  task: ArmTask,
  abort: AbortSignal,
): Promise<{ analysis: UnsizedAnalysis; provenance: SignalProvenance }> {
  const { arm, request, series, spent } = task;
  const common = {
    analyst: arm.analyst,
    costs: deps.tradingCosts[instrumentClass(request.symbol)],
    abort,
    onUsage: (usage: TokenUsage) => spent.push(usage),
  };
  if (!arm.isAnonymised) {
    return analyseMarket({
      ...common,
      request,
      marketData: withSeries(deps.marketData, request, series),
      evidence: blocksOf(deps.evidence, arm.evidence),
      now: () => deps.now().getTime(),
    });
  }
  const disguise = disguiseOf(request.symbol, series.candles);
  const analysed = await analyseMarket({ ...common, ...disguised(deps, task, disguise) });
  return { ...analysed, analysis: revealAnalysis(analysed.analysis, disguise, series) };
}

/** The market without its name, prices and dates. What would name it, such as events, is not given. */
function disguised(deps: ShadowDeps, { arm, request, series }: ArmTask, disguise: Disguise) {
  const { shiftMs } = disguise;
  const closedAt = request.candleClosedAt;
  const anonymous: MarketRequest = {
    ...request,
    symbol: ANONYMOUS_SYMBOL,
    ...(closedAt && { candleClosedAt: new Date(closedAt.getTime() - shiftMs) }),
  };
  const marketData = withSeries(
    disguiseMarket(deps.marketData, disguise),
    anonymous,
    disguiseSeries(series, disguise),
  );
  const evidence = createEvidence({ marketData, events: NO_EVENTS, guard: "off" });
  return {
    request: anonymous,
    marketData,
    evidence: blocksOf(evidence, arm.evidence ?? ANONYMOUS_BLOCKS),
    now: () => deps.now().getTime() - shiftMs,
  };
}

/** Of what has no name and no date of its own. */
const ANONYMOUS_BLOCKS = [
  "higher_timeframe_1",
  "higher_timeframe_2",
  "previous_day",
  "previous_week",
];

const blocksOf = (
  evidence: EvidenceProvider,
  blocks: readonly string[] | undefined,
): EvidenceProvider => ({
  guard: evidence.guard,
  gather: (market, abort) => evidence.gather(market, abort, blocks),
});

/** The market with exactly these candles at the timeframe of the analysis. */
const withSeries = (
  market: MarketData,
  { symbol, timeframe }: MarketRequest,
  series: CandleSeries,
): MarketData => ({
  candles(request) {
    const isAnalysed = request.symbol === symbol && request.timeframe === timeframe;
    return isAnalysed && request.until === undefined
      ? Promise.resolve(series)
      : market.candles(request);
  },
});

interface Common {
  arm: BenchArm;
  candle: BenchCandle;
  startedAt: Date;
  isDemo: boolean | undefined;
  series: CandleSeries;
}

function recordOf({ arm, candle, startedAt, isDemo }: Common) {
  const { symbol, timeframe, closedAt } = candle;
  const createdAt = isDemo ? closedAt : startedAt;
  return {
    _id: new Types.ObjectId(),
    key: shadowKey(arm.key, candle),
    arm: arm.id,
    armKey: arm.key,
    day: dayOf(closedAt),
    isCounted: false,
    symbol,
    timeframe,
    limit: arm.limit,
    candleClosedAt: closedAt,
    revision: 1,
    joinedSignals: 0,
    createdAt,
    startedAt: createdAt,
  };
}

function completed(
  common: Common,
  outcome: {
    analysis: UnsizedAnalysis;
    provenance: SignalProvenance;
    finishedAt: Date;
    latencyMs: number;
    usage: TokenUsage | null;
  },
): ShadowAnalysisRecord {
  const { analysis, provenance, finishedAt, latencyMs, usage } = outcome;
  const { rationale, confidence, market_condition } = analysis.raw_ai;
  const said = { rationale, confidence, market_condition };
  return {
    ...recordOf(common),
    status: "completed",
    finishedAt,
    updatedAt: finishedAt,
    result: {
      // The lists of a model are most of an analysis, and no one reads those of a shadow.
      analysis: {
        ...analysis,
        raw_ai: { ...said, key_evidence: [], counter_evidence: [], what_to_watch_for: [] },
      },
      quoteToUsd: null,
      candlesSha256: hashCandles(common.series.candles),
    },
    provenance: shadowProvenance(provenance, { latencyMs, usage }),
    ...(analysis.final_signal !== "WAIT" && { resolveAt: finishedAt }),
  };
}

function shadowProvenance(
  { calls, samples, analyst }: SignalProvenance,
  { latencyMs, usage }: { latencyMs: number; usage: TokenUsage | null },
): ShadowProvenance {
  const isModel = analyst === "openai";
  const [first] = calls;
  return {
    promptSha256: isModel && first ? sha256(first.prompt) : null,
    rawReplies: isModel ? calls.map(({ rawReply }) => rawReply) : [],
    ...(samples && { samples }),
    usage,
    latencyMs,
  };
}

function failed(
  common: Common,
  { finishedAt, failure, usage }: { finishedAt: Date; failure: string; usage: TokenUsage | null },
): ShadowAnalysisRecord {
  const latencyMs = finishedAt.getTime() - common.startedAt.getTime();
  const provenance: ShadowProvenance = {
    promptSha256: null,
    rawReplies: [],
    usage,
    latencyMs,
    failure,
  };
  return { ...recordOf(common), status: "failed", finishedAt, updatedAt: finishedAt, provenance };
}
