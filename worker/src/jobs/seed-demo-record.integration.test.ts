import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { verifyDatabase } from "@shared/domain/ledger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { seriesOf } from "@shared/stats/performance-metrics.ts";
import { createUser } from "@shared/testing/factories.ts";
import { analysisOf, newSignal, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { signalProvenanceSchema } from "../analysis/provenance.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { createReplayMarketData } from "../market-data/replay/replay-market-data.ts";
import { updatePerformanceStats } from "../record/performance-stats.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { recurringJobs } from "./job-definitions.ts";
import { type DemoRecordDeps, seedDemoRecord } from "./seed-demo-record.ts";

const NOW = new Date("2026-11-23T10:20:00Z");
const MEASURE_JOB = "measure";
const MARKETS = 11;
const PER_MARKET = 9;

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
  await database.jobs.collection.insertOne({ name: MEASURE_JOB, lockedAt: null });
});
afterAll(() => database.close());

const seed = (changes: Partial<DemoRecordDeps> = {}) =>
  seedDemoRecord({
    database,
    logger: pino({ enabled: false }),
    now: () => NOW,
    tradingCosts: DEFAULT_TRADING_COSTS,
    replay: createReplayMarketData({ now: () => NOW.getTime() }),
    measureJob: MEASURE_JOB,
    analysesPerMarket: PER_MARKET,
    abort: new AbortController().signal,
    ...changes,
  });

/** Reads the market until some candles were read, as if the worker was killed then. */
function endingMarket(reads: number) {
  const market = createReplayMarketData({ now: () => NOW.getTime() });
  let left = reads;
  return {
    candles(request: Parameters<typeof market.candles>[0]) {
      left -= 1;
      return left < 0 ? Promise.reject(new Error("killed")) : market.candles(request);
    },
  };
}

/** Counts the analyses that were stored when the measurement was first due. */
function measuredMarket() {
  const market = createReplayMarketData({ now: () => NOW.getTime() });
  let count: number | undefined;
  return {
    analysesBefore: () => count,
    replay: {
      async candles(request: Parameters<typeof market.candles>[0]) {
        const isDue = await database.jobs.exists({ name: MEASURE_JOB, nextRunAt: NOW });
        if (isDue) count ??= await database.marketAnalyses.countDocuments();
        return market.candles(request);
      },
    },
  };
}

describe("the demo record", () => {
  it("is complete and has nothing twice after interruptions, and with two workers at once", async () => {
    await expect(seed({ replay: endingMarket(30) })).rejects.toThrow("killed");
    expect(await database.marketAnalyses.countDocuments()).toBeGreaterThan(0);
    const { replay, analysesBefore } = measuredMarket();
    await Promise.allSettled([seed({ replay }), seed()]);
    // A first visitor need not wait for the whole record.
    expect(analysesBefore()).toBeLessThan(MARKETS * PER_MARKET);
    // The server has not made the first administrator yet.
    expect(await seed()).toBe(false);
    await createUser(database, { role: "admin", username: "first-admin" });
    expect(await seed()).toBe(true);
    expect(await seed()).toBe(true);
    const analyses = await database.marketAnalyses.find().lean();
    expect(analyses).toHaveLength(MARKETS * PER_MARKET);
    expect(new Set(analyses.map(({ key }) => key)).size).toBe(analyses.length);
    expect(await database.analysisCandles.countDocuments()).toBe(analyses.length);
    expect(await database.signals.countDocuments()).toBe(MARKETS * 8);
    expect(await database.jobs.exists({ name: MEASURE_JOB, nextRunAt: NOW })).not.toBeNull();
  });

  it("is labelled, and no analysis sees a candle that closed later", async () => {
    for (const { result, provenance, candleClosedAt, timeframe } of await database.marketAnalyses
      .find()
      .lean()) {
      expect(result?.analysis.source).toMatchObject({ data: "replay", demo_record: true });
      expect(result?.analysis.warnings[0]).toBe("Demo record, from recorded candles.");
      const { candles } = signalProvenanceSchema.parse(provenance);
      const lastClose = Date.parse(candles.lastTime) + TIMEFRAME_MS[timeframe];
      expect(lastClose).toBe(candleClosedAt.getTime());
    }
  });

  it("has outcomes from later candles only, each committed before it was resolved", async () => {
    const trades = await database.marketAnalyses.find({ outcome: { $exists: true } }).lean();
    expect(trades.length).toBeGreaterThan(10);
    for (const { resolution, candleClosedAt } of trades) {
      const from = resolution?.filled_at ?? resolution?.resolved_at ?? "";
      expect(Date.parse(from)).toBeGreaterThanOrEqual(candleClosedAt.getTime());
    }
    const { fault, tally } = await verifyDatabase(database);
    expect(fault).toBeNull();
    expect(tally).toMatchObject({ late: 0, analyses: { live: 0, replay: MARKETS * PER_MARKET } });
    expect(await database.ledger.countDocuments({ "body.demo_record": { $ne: true } })).toBe(0);
  });

  it("is counted for demo data, and not for live data", async () => {
    await updatePerformanceStats({ database, logger: pino({ enabled: false }), now: () => NOW });
    const days = (data: "live" | "replay") =>
      database.performanceDays.countDocuments({ series: seriesOf({ data, period: "all" }) });
    expect(await days("replay")).toBeGreaterThan(3);
    expect(await days("live")).toBe(0);
  });

  it("has what its WAITs passed up, resolved by later candles", async () => {
    const waits = await database.marketAnalyses
      .find({ rejectedResolution: { $exists: true } })
      .lean();
    expect(waits.length).toBeGreaterThan(10);
    for (const { result, outcome, rejectedResolution, candleClosedAt } of waits) {
      expect(result?.analysis.final_signal).toBe("WAIT");
      expect(outcome).toBeUndefined();
      const resolvedAt = Date.parse(rejectedResolution?.resolved_at ?? "");
      expect(resolvedAt).toBeGreaterThan(candleClosedAt.getTime());
    }
  });

  it("shows in the first administrator's history with the outcomes of the market", async () => {
    const admin = await database.users.findOne({ username: "first-admin" }).lean();
    for (const signal of await database.signals.find().lean()) {
      const analysis = await database.marketAnalyses.findById(signal.analysisId).lean();
      expect(signal.userId).toEqual(admin?._id);
      expect(signal.outcome).toBe(analysis?.outcome);
      expect(signal.analysis?.source).toMatchObject({ analysis_id: String(signal.analysisId) });
    }
  });

  it("is not made where there is live data", async () => {
    await Promise.all(["demo_records", "market_analyses"].map((name) => empty(name)));
    const { market, ...fields } = resolvedTrade({ outcome: "WIN", at: NOW, resolvedAt: NOW });
    const owner = await createUser(database);
    await database.marketAnalyses.insertOne({
      ...analysisOf({ ...newSignal(owner), ...fields }),
      ...market,
    });
    expect(await seed()).toBe(true);
    expect(await database.marketAnalyses.countDocuments()).toBe(1);
  });
});

/** The worker's job that makes the record, if it has one with this setting. */
function demoJob(DEMO_RECORD: "on" | "off", source: "live" | "replay") {
  const replay = endingMarket(0);
  const logger = pino({ enabled: false });
  const { signal: shutdown } = new AbortController();
  const deps = {
    database,
    logger,
    shutdown,
    now: () => NOW,
    analyst: rulesAnalyst,
    marketData: replay,
    metrics: createWorkerMetrics(),
    evidence: NO_EVIDENCE,
    tradingCosts: DEFAULT_TRADING_COSTS,
  };
  const market = { sources: { live: undefined, replay }, currentSource: () => source };
  const settings = loadWorkerSettings({ DEMO_RECORD });
  return recurringJobs(deps, { market, settings }).find(({ name }) => name === "seed-demo-record");
}

it("a worker makes the record only if it is set to, and only while market data is replayed", async () => {
  await Promise.all(["demo_records", "market_analyses"].map((name) => empty(name)));
  const { signal } = new AbortController();
  expect(demoJob("off", "replay")).toBeUndefined();
  await demoJob("on", "live")?.work(signal);
  expect(await database.demoRecords.countDocuments()).toBe(0);
  await expect(demoJob("on", "replay")?.work(signal)).rejects.toThrow("killed");
  expect(await database.demoRecords.countDocuments()).toBe(1);
});

const empty = (name: string) => database.connection.collection(name).deleteMany({});
