import { setTimeout as delay } from "node:timers/promises";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { ShadowAnalysisRecord } from "@shared/database/models/analyst-bench.ts";
import { BENCH_ANALYSES, benchWorkDataSchema } from "@shared/domain/bench-work.ts";
import { GENERATE_SIGNAL_JOB } from "@shared/domain/queue-analysis.ts";
import { doubling, oneByOne, type WorkHandler } from "@shared/work/work-handler.ts";
import { mongo } from "mongoose";
import { fetchAnalysed, fetchNewest } from "../analysis/fetch-candles.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { UnusableMarketError } from "../market-data/market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { type AnalystBench, keyWithData } from "./arms.ts";
import { type BenchCandle, makeShadowAnalysis, shadowKey } from "./make-shadow-analysis.ts";
import { isTooLateForBench } from "./schedule-bench.ts";

export type BenchDeps = Pick<
  WorkerDeps,
  "database" | "logger" | "marketData" | "evidence" | "tradingCosts" | "now"
> & {
  bench: AnalystBench;
  /** Waits for the turn of an analysis; none waits without it. */
  untilTurn?: ((candle: BenchCandle, abort: AbortSignal) => Promise<void>) | undefined;
};

/** Markets that one worker judges at once; each by all arms. */
const CONCURRENCY = 3;

/** Analyses of the arms start at most so far apart: many at once would keep the processor from those of users. */
const MAX_TURN_MS = 250;
/** All analyses of a close start within this part of the candle, if one worker makes them. */
const STARTS_SHARE = 0.25;

function turnsOf({ arms, markets }: AnalystBench): BenchDeps["untilTurn"] {
  let next = 0;
  return async ({ timeframe }, abort) => {
    const analyses = arms.length * markets.filter((one) => one.timeframe === timeframe).length;
    const shareMs = (STARTS_SHARE * TIMEFRAME_MS[timeframe]) / Math.max(1, analyses);
    const now = performance.now();
    const at = Math.max(now, next);
    next = at + Math.min(MAX_TURN_MS, shareMs);
    await delay(at - now, undefined, { signal: abort });
  };
}

/** The work of making the analyses of all arms for one candle. */
export function makingBenchAnalyses(own: BenchDeps): WorkHandler {
  const deps = { ...own, untilTurn: turnsOf(own.bench) };
  return oneByOne(deps, {
    kind: BENCH_ANALYSES,
    concurrency: CONCURRENCY,
    retryDelayMs: doubling({ first: 2_000, max: 30_000 }),
    async run({ data }, abort) {
      const { closedAt, ...market } = benchWorkDataSchema.parse(data);
      await makeBenchAnalyses(deps, { ...market, closedAt: new Date(closedAt) }, abort);
    },
  });
}

/**
 * Makes those analyses of a candle that are missing. An arm that fails, or is slow, delays no other; each analysis is stored as
 * soon as it is made, once.
 * @throws if the candles cannot be had yet; the reason of `abort`
 */
export async function makeBenchAnalyses(
  deps: BenchDeps,
  candle: BenchCandle,
  abort: AbortSignal,
): Promise<void> {
  const { database, logger, bench } = deps;
  if (!(await untilUsersAreServed(deps, candle, abort))) {
    logger.warn(candle, "candle left out by the bench: it closed too long ago");
    return;
  }
  const series = await fetchSeries(deps, candle, abort);
  if (!series) return;
  const arms = bench.arms.map((arm) => ({ ...arm, key: keyWithData(arm.key, series.data) }));
  const keys = { $in: arms.map((arm) => shadowKey(arm.key, candle)) };
  const stored = new Set(await database.shadowAnalyses.distinct("key", { key: keys }));
  const missing = arms.filter((arm) => !stored.has(shadowKey(arm.key, candle)));
  const analyses = missing.map(async (arm) => {
    await deps.untilTurn?.(candle, abort);
    const analysis = await makeShadowAnalysis(deps, { arm, candle, series }, abort);
    if (analysis) await storeOnce(deps, analysis);
    else logger.info({ arm: arm.id }, "the budget of the bench is used up");
  });
  const failed = (await Promise.allSettled(analyses)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

const WAIT_MS = 500;

/** Users go first for a quarter of the candle; after that, only those whose analysis has not started. */
const YIELD_SHARE = 0.25;

/** @returns false if it is too late for the candle */
async function untilUsersAreServed(
  { database, now }: Pick<BenchDeps, "database" | "now">,
  candle: BenchCandle,
  abort: AbortSignal,
): Promise<boolean> {
  const { timeframe, closedAt } = candle;
  const yieldsUntil = closedAt.getTime() + YIELD_SHARE * TIMEFRAME_MS[timeframe];
  for (;;) {
    const at = now();
    if (isTooLateForBench(candle, at)) return false;
    const isWaiting = at.getTime() < yieldsUntil ? {} : { lockedAt: null };
    const ofUsers = { name: GENERATE_SIGNAL_JOB, nextRunAt: { $lte: at }, ...isWaiting };
    if (!(await database.jobs.exists(ofUsers))) return true;
    await delay(WAIT_MS, undefined, { signal: abort });
  }
}

/** The candles that all arms judge; null if the market has none to judge. */
async function fetchSeries(
  { marketData, now }: BenchDeps,
  { symbol, timeframe, closedAt }: BenchCandle,
  abort: AbortSignal,
): Promise<CandleSeries | null> {
  const limit = 50;
  const request = { symbol, timeframe, limit, candleClosedAt: closedAt };
  const options = { request, marketData, now: () => now().getTime(), abort };
  try {
    return await fetchAnalysed(options, await fetchNewest(options));
  } catch (error) {
    if (error instanceof UnusableMarketError) return null;
    throw error;
  }
}

const DUPLICATE = 11_000;

/** Another worker may have been first. */
async function storeOnce(
  { database }: Pick<BenchDeps, "database">,
  analysis: ShadowAnalysisRecord,
): Promise<void> {
  try {
    await database.shadowAnalyses.insertMany([analysis], { lean: true });
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError && error.code === DUPLICATE)) throw error;
  }
}
