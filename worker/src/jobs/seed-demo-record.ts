import { setTimeout as pause } from "node:timers/promises";
import { HOUR_MS, MESSAGES, SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { DEMO_RECORD_ID } from "@shared/database/models/performance.ts";
import { packCandles } from "@shared/database/stored-candles.ts";
import { analysisKey, lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { sizeAnalysis } from "@shared/domain/sizing.ts";
import { commit } from "@shared/outbox/commit.ts";
import { Types } from "mongoose";
import { analyseMarket } from "../analysis/analyse-market.ts";
import { RULES_MODEL, rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { firstLookAt, judgeWaits } from "../outcomes/judge-waits.ts";
import { MarketBackoff, resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { appendRecords } from "../record/append-records.ts";
import { refitCalibration } from "../record/performance-stats.ts";
import { withCalibration } from "../signals/run-analysis.ts";
import type { WorkerDeps } from "../worker-deps.ts";

export interface DemoRecordDeps
  extends Pick<WorkerDeps, "database" | "logger" | "now" | "tradingCosts"> {
  replay: MarketData;
  /** Job that measures the performance, to run as soon as there is something to measure. */
  measureJob: string;
  analysesPerMarket?: number;
  abort: AbortSignal;
}

/** Markets whose candles at these timeframes are recorded, not simulated. */
const MARKETS = [
  ...["BTC/USDT", "ETH/USDT", "BNB/USDT", "XRP/USDT", "EUR/USD", "XAU/USD"].map(
    (symbol) => ({ symbol, timeframe: "4h" }) as const,
  ),
  ...["BTC/USDT", "ETH/USDT", "XRP/USDT", "EUR/USD", "XAU/USD"].map(
    (symbol) => ({ symbol, timeframe: "1h" }) as const,
  ),
];

/** Trades seldom last longer, so that those of one market seldom overlap. */
const INTERVAL_MS = 47 * HOUR_MS;
const ANALYSES_PER_MARKET = 80;
/** The oldest ones of each market: enough trades to measure, so that a first visitor need not wait for the others. */
const FIRST_PER_MARKET = 8;
/** The newest analyses of each market: made with a calibration of the earlier ones, and shown in the history. */
const LATEST_PER_MARKET = 8;
/** No entry is valid that long, so no one could still act on a signal. */
const NEWEST_AGE_MS = 24 * HOUR_MS;

/** Analyses that are stored together. */
const BATCH_SIZE = 22;
/** Lets the requests of users go first. */
const PAUSE_MS = 1;

/** An analysis to be made as if it were `closedAt`. */
interface PlannedAnalysis {
  key: string;
  symbol: string;
  timeframe: Timeframe;
  closedAt: Date;
}

/**
 * Makes a record of past analyses from recorded candles, once for each database without live data. Each analysis sees
 * only the candles closed by its time, and the ledger has it before its trade is resolved. Can be interrupted and
 * repeated, also by several workers at once.
 * @returns false if it has to be called again
 */
export async function seedDemoRecord(deps: DemoRecordDeps): Promise<boolean> {
  const { database, now } = deps;
  const startedAt = await findStart(deps);
  if (!startedAt) return true;
  const plan = planAnalyses(startedAt, deps.analysesPerMarket ?? ANALYSES_PER_MARKET);
  const firstCount = FIRST_PER_MARKET * MARKETS.length;
  const latestCount = LATEST_PER_MARKET * MARKETS.length;
  const latest = plan.slice(-latestCount);
  const earlier = plan.slice(0, -latestCount);
  if ((await makeAnalyses(deps, earlier.slice(0, firstCount))) > 0) {
    await resolveTrades(deps);
    await measure(deps);
  }
  await makeAnalyses(deps, earlier);
  await resolveTrades(deps);
  await calibrate(deps, latest);
  await makeAnalyses(deps, latest);
  await resolveTrades(deps);
  if (!(await addToHistory(deps, latest))) return false;
  await measure(deps);
  await database.demoRecords.updateOne({ _id: DEMO_RECORD_ID }, { $set: { finishedAt: now() } });
  deps.logger.info({ analyses: plan.length }, "demo record made");
  return true;
}

/** Has the performance measured soon, once more if it is being measured now. */
async function measure({ database, measureJob, now }: DemoRecordDeps): Promise<void> {
  await database.jobs.updateOne({ name: measureJob }, { $set: { nextRunAt: now() } });
}

/** When the first worker began; null if there is nothing to make. */
async function findStart({ database, now }: DemoRecordDeps): Promise<Date | null> {
  const started = await database.demoRecords.findById(DEMO_RECORD_ID).lean();
  if (started) return started.finishedAt ? null : started.startedAt;
  const live = { "result.analysis.source.data": "live" };
  if (await database.marketAnalyses.exists(live)) return null;
  const record = await database.demoRecords
    .findByIdAndUpdate(
      DEMO_RECORD_ID,
      { $setOnInsert: { startedAt: now() } },
      { upsert: true, returnDocument: "after" },
    )
    .lean();
  return record?.startedAt ?? null;
}

/** Oldest first. Depends on the start only, so that it is the same for every worker. */
function planAnalyses(startedAt: Date, perMarket: number): PlannedAnalysis[] {
  const { name: analyst, version: analystVersion } = rulesAnalyst;
  const setup = { data: "replay", analyst, analystVersion, model: analyst } as const;
  const plan = MARKETS.flatMap(({ symbol, timeframe }, market) =>
    Array.from({ length: perMarket }, (_, index) => {
      // Spread over the interval, so that not all markets are analysed at the same time.
      const ageMs = NEWEST_AGE_MS + (index + market / MARKETS.length) * INTERVAL_MS;
      const closedAt = lastCandleClose(timeframe, new Date(startedAt.getTime() - ageMs));
      const candle = { symbol, timeframe, limit: SIGNAL_DEFAULTS.limit, candleClosedAt: closedAt };
      return { symbol, timeframe, closedAt, key: analysisKey(candle, setup) };
    }),
  );
  return plan.toSorted((a, b) => a.closedAt.getTime() - b.closedAt.getTime());
}

/** @returns how many of them were not there yet */
async function makeAnalyses(
  deps: DemoRecordDeps,
  plan: readonly PlannedAnalysis[],
): Promise<number> {
  const stored = await deps.database.marketAnalyses.distinct("key", { key: { $in: keysOf(plan) } });
  const missing = plan.filter(({ key }) => !stored.includes(key));
  for (let start = 0; start < missing.length; start += BATCH_SIZE) {
    const analyses: MadeAnalysis[] = [];
    for (const planned of missing.slice(start, start + BATCH_SIZE)) {
      analyses.push(await makeAnalysis(deps, planned));
      await pause(PAUSE_MS, undefined, { signal: deps.abort });
    }
    await storeAnalyses(deps, analyses);
  }
  return missing.length;
}

const keysOf = (plan: readonly PlannedAnalysis[]): string[] => plan.map(({ key }) => key);

type MadeAnalysis = Awaited<ReturnType<typeof makeAnalysis>>;

async function makeAnalysis(deps: DemoRecordDeps, planned: PlannedAnalysis) {
  const { symbol, timeframe, closedAt, key } = planned;
  const at = () => closedAt.getTime();
  const request = { symbol, timeframe, limit: SIGNAL_DEFAULTS.limit };
  const analysed = await analyseMarket({
    request,
    analyst: rulesAnalyst,
    now: at,
    abort: deps.abort,
    marketData: pastMarket(deps.replay, at()),
    costs: deps.tradingCosts[instrumentClass(symbol)],
  });
  const { candles, provenance, quoteToUsd, rejectedTrade } = analysed;
  const analysis = await withCalibration({ ...deps, now: () => closedAt }, analysed.analysis);
  const source = { ...analysis.source, demo_record: true as const };
  const isTrade = analysis.final_signal !== "WAIT";
  const record: MarketAnalysisRecord = {
    _id: new Types.ObjectId(),
    key,
    ...request,
    candleClosedAt: closedAt,
    status: "completed",
    revision: 1,
    joinedSignals: 0,
    createdAt: closedAt,
    startedAt: closedAt,
    finishedAt: closedAt,
    updatedAt: deps.now(),
    result: {
      analysis: { ...analysis, source },
      quoteToUsd,
      candlesSha256: provenance.candles.sha256,
    },
    provenance,
    ...(isTrade && { resolveAt: deps.now() }),
    ...(rejectedTrade && { rejectedTrade, judgeAt: firstLookAt(timeframe, closedAt) }),
  };
  return { record, candles };
}

/** The market without the candles that closed after `until`. The label becomes the first warning of its analyses. */
const pastMarket = (market: MarketData, until: number): MarketData => ({
  async candles(request) {
    const series = await market.candles({ ...request, until });
    return { ...series, notes: [`${MESSAGES.demoRecord}.`, ...series.notes] };
  },
});

/** All of them or, if another worker stores one at the same time, none. */
async function storeAnalyses(
  { database, now }: DemoRecordDeps,
  analyses: readonly MadeAnalysis[],
): Promise<void> {
  await commit(database, { lockKeys: "demo-record", now }, async ({ session }) => {
    const records = analyses.map(({ record }) => record);
    await database.marketAnalyses.insertMany(records, { session });
    const candles = analyses.map(({ record, candles: seen }) => ({
      _id: record._id,
      ...packCandles(seen),
    }));
    await database.analysisCandles.insertMany(candles, { session });
  });
}

async function resolveTrades(deps: DemoRecordDeps): Promise<void> {
  let appended: number;
  do {
    appended = await appendRecords(deps);
  } while (appended > 0);
  const archive = new CandleArchive({ live: undefined, replay: deps.replay });
  await resolveOutcomes({ ...deps, archive, backoff: new MarketBackoff() });
  while ((await judgeWaits({ ...deps, archive })) > 0) deps.abort.throwIfAborted();
  deps.abort.throwIfAborted();
}

/** Fits a calibration for the latest analyses, from what was resolved before them. */
async function calibrate(deps: DemoRecordDeps, [first]: PlannedAnalysis[]): Promise<void> {
  if (!first) return;
  const { closedAt: fittedAt } = first;
  if (await deps.database.calibrations.exists({ data: "replay", fittedAt })) return;
  const { name: analyst, version } = rulesAnalyst;
  const kind = { data: "replay", analyst, version, model: RULES_MODEL } as const;
  await refitCalibration({ ...deps, now: () => fittedAt }, kind);
}

/** Shows the latest analyses in the first administrator's history; false if there is none yet. */
async function addToHistory(
  { database, now }: DemoRecordDeps,
  latest: readonly PlannedAnalysis[],
): Promise<boolean> {
  const admin = await database.users.findOne({ role: "admin" }).sort({ createdAt: 1 }).lean();
  if (!admin) return false;
  const { amount, riskPercent, leverage } = SIGNAL_DEFAULTS;
  const analyses = await database.marketAnalyses
    .find({ key: { $in: keysOf(latest) } })
    .select({ provenance: 0 })
    .lean();
  const ids = analyses.map(({ _id }) => _id);
  const known = new Set(
    (await database.signals.distinct("_id", { _id: { $in: ids } })).map(String),
  );
  const signals = analyses.flatMap((market) => {
    const { _id, result, candleClosedAt: at, symbol, timeframe, limit, outcome } = market;
    if (!result || known.has(String(_id))) return [];
    const stake = { amount, riskPercent, leverage };
    return {
      _id,
      analysisId: _id,
      userId: admin._id,
      origin: "request" as const,
      symbol,
      timeframe,
      limit,
      ...stake,
      status: "completed" as const,
      revision: 1,
      createdAt: at,
      startedAt: at,
      finishedAt: at,
      updatedAt: now(),
      analysis: sizeAnalysis({ _id, symbol, finishedAt: at, result }, stake),
      ...(outcome && { outcome }),
    };
  });
  await database.signals.insertMany(signals);
  return true;
}
