import { setTimeout as pause } from "node:timers/promises";
import { HOUR_MS, MESSAGES } from "@shared/contract/constants.ts";
import type { ShadowAnalysisRecord } from "@shared/database/models/analyst-bench.ts";
import { shadowDatabase } from "@shared/domain/analyst-bench.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { fetchAnalysed, fetchNewest } from "../analysis/fetch-candles.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { appendRecords } from "../record/append-records.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { type BenchArm, type BenchMarket, builtInArms, rulesArm } from "./arms.ts";
import { type BenchCandle, makeShadowAnalysis, shadowKey } from "./make-shadow-analysis.ts";
import { measureBench } from "./measure-bench.ts";
import { reportBench } from "./report-setup.ts";

export interface DemoBenchDeps
  extends Pick<WorkerDeps, "database" | "logger" | "now" | "tradingCosts"> {
  replay: MarketData;
  candlesPerMarket?: number;
  abort: AbortSignal;
}

/** Markets whose candles at these timeframes are recorded. */
const MARKETS: readonly BenchMarket[] = ["BTC/USDT", "ETH/USDT", "XRP/USDT", "XAU/USD"].map(
  (symbol) => ({ symbol, timeframe: "1h" }),
);

/** Trades are seldom open for longer. */
const INTERVAL_MS = 44 * HOUR_MS;
const CANDLES_PER_MARKET = 60;
/** All trades are over by now. */
const NEWEST_AGE_MS = 8 * 24 * HOUR_MS;

/** Candles whose analyses are stored together. */
const BATCH_SIZE = 12;
/** Lets the requests of users go first. */
const PAUSE_MS = 1;

/** The arms that need no key, with a record of their own. */
const demoArms = (): BenchArm[] =>
  [rulesArm("rules", "Built-in rules"), ...builtInArms()].map((arm) => ({
    ...arm,
    key: `${arm.key}-demo`,
  }));

/**
 * Makes a record of the built-in arms from recorded candles, once for each database without live data and without a bench of
 * its own. Each analysis sees only the candles closed by its time. Can be interrupted and repeated, by several workers at
 * once.
 */
export async function seedDemoBench(deps: DemoBenchDeps): Promise<void> {
  const { database, logger } = deps;
  const setup = await database.benchSetups.findById("setup").lean();
  if (setup && !setup.isDemo && setup.arms.length > 0) return;
  if (await database.marketAnalyses.exists({ "result.analysis.source.data": "live" })) return;
  const arms = demoArms();
  const bench = { arms, markets: MARKETS, budgetUsd: null, isDemo: true };
  if (setup?.arms.length !== arms.length) await reportBench(deps, bench);
  const plan = planCandles(await startOf(deps), deps.candlesPerMarket ?? CANDLES_PER_MARKET);
  let count = 0;
  for (let start = 0; start < plan.length; start += BATCH_SIZE) {
    count += await makeAnalyses(deps, arms, plan.slice(start, start + BATCH_SIZE));
  }
  if (count > 0) logger.info({ analyses: count }, "demo record of the bench made");
  await resolveTrades(deps);
  await measureBench(deps);
}

/** When the first worker began, so that every one makes the same. */
async function startOf({ database }: DemoBenchDeps): Promise<Date> {
  const setup = await database.benchSetups.findById("setup").lean();
  return setup?.arms[0]?.since ?? database.now();
}

/** Oldest first. */
function planCandles(startedAt: Date, perMarket: number): BenchCandle[] {
  const plan = MARKETS.flatMap((market) =>
    Array.from({ length: perMarket }, (_, index) => {
      const at = startedAt.getTime() - NEWEST_AGE_MS - index * INTERVAL_MS;
      return { ...market, closedAt: lastCandleClose(market.timeframe, new Date(at)) };
    }),
  );
  return plan.toSorted((a, b) => a.closedAt.getTime() - b.closedAt.getTime());
}

/** @returns how many were not there yet */
async function makeAnalyses(
  deps: DemoBenchDeps,
  arms: readonly BenchArm[],
  candles: readonly BenchCandle[],
): Promise<number> {
  const { shadowAnalyses } = deps.database;
  const keys = candles.flatMap((candle) => arms.map((arm) => shadowKey(arm.key, candle)));
  const stored = new Set(await shadowAnalyses.distinct("key", { key: { $in: keys } }));
  const analyses: ShadowAnalysisRecord[] = [];
  for (const candle of candles) {
    const missing = arms.filter((arm) => !stored.has(shadowKey(arm.key, candle)));
    if (missing.length > 0) analyses.push(...(await judgeCandle(deps, missing, candle)));
    await pause(PAUSE_MS, undefined, { signal: deps.abort });
  }
  const writes = analyses.map((analysis) => ({
    updateOne: {
      filter: { key: analysis.key },
      update: { $setOnInsert: analysis },
      upsert: true,
    },
  }));
  if (writes.length > 0) await shadowAnalyses.bulkWrite(writes, { ordered: false });
  return analyses.length;
}

async function judgeCandle(
  { replay, tradingCosts, abort }: DemoBenchDeps,
  arms: readonly BenchArm[],
  candle: BenchCandle,
): Promise<ShadowAnalysisRecord[]> {
  const now = () => candle.closedAt;
  const marketData = pastMarket(replay, candle.closedAt.getTime());
  const request = { ...candle, limit: 50, candleClosedAt: candle.closedAt };
  const options = { request, marketData, now: () => candle.closedAt.getTime(), abort };
  const series = await fetchAnalysed(options, await fetchNewest(options));
  const deps = { marketData, evidence: NO_EVIDENCE, tradingCosts, now };
  const analyses = await Promise.all(
    arms.map((arm) => makeShadowAnalysis(deps, { arm, candle, series, isDemo: true }, abort)),
  );
  return analyses.filter((analysis) => analysis !== null);
}

/** The market without the candles that closed after `until`. */
const pastMarket = (market: MarketData, until: number): MarketData => ({
  async candles(request) {
    const series = await market.candles({ ...request, until });
    return { ...series, notes: [`${MESSAGES.demoRecord}.`, ...series.notes] };
  },
});

async function resolveTrades(deps: DemoBenchDeps): Promise<void> {
  const shadow = { ...deps, database: shadowDatabase(deps.database) };
  let appended: number;
  do {
    appended = await appendRecords(shadow);
  } while (appended > 0);
  const archive = new CandleArchive({ live: undefined, replay: deps.replay });
  await resolveOutcomes({
    ...shadow,
    archive,
    backoff: new MarketBackoff(),
    keepsCandles: false,
  });
  deps.abort.throwIfAborted();
}
