import { MINUTE_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase, readTime } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { recurringJobs } from "../jobs/job-definitions.ts";
import { memoryMarketData, scriptedAnalyst } from "../testing/fakes.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { runSchedule, type ScheduleDeps } from "./schedule-analyses.ts";

const CLOSE = Date.parse("2026-11-20T12:00:00Z");

describe("a run of the schedule", () => {
  let database: Database;
  /** The connection of another worker. */
  let elsewhere: Database;
  let ann: UserRecord;
  let deps: WorkerDeps;
  /** Unix milliseconds; pauses move it. */
  let clock: number;
  let stop: AbortController;

  beforeAll(async () => {
    const uri = testDatabaseUri();
    database = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
    ann = await createUser(database, { approved: true });
  });
  beforeEach(async () => {
    const { watchlistItems, watchSchedules, scheduledAnalyses, marketAnalyses, jobs } = database;
    for (const model of [watchlistItems, watchSchedules, scheduledAnalyses, marketAnalyses, jobs]) {
      await model.collection.deleteMany({});
    }
    stop = new AbortController();
    deps = {
      database,
      logger: createLogger({ service: "test", level: "silent" }),
      metrics: createWorkerMetrics(),
      marketData: memoryMarketData({}),
      analyst: scriptedAnalyst([]),
      tradingCosts: DEFAULT_TRADING_COSTS,
      now: () => new Date(clock),
      shutdown: stop.signal,
    };
  });
  afterAll(() => Promise.all([database.close(), elsewhere.close()]));

  const watch = (symbol: string) =>
    createWatchlistItem(database, ann, { symbol, createdAt: new Date(0) });
  const run = (overrides: Partial<ScheduleDeps> = {}) =>
    runSchedule({
      ...deps,
      minTimeframe: "1m",
      abort: stop.signal,
      readTime: async () => new Date(clock),
      pause: async (timeMs) => {
        clock += timeMs;
      },
      ...overrides,
    });
  /** Seconds after the close at which each analysis was queued. */
  const queuedAfter = async () => {
    const made = await database.marketAnalyses.find().sort({ createdAt: 1 }).lean();
    return made.map(({ createdAt }) => (createdAt.getTime() - CLOSE) / 1_000);
  };

  it("waits for a close that is near, and for each analysis that is due before the next run", async () => {
    await watch("BTC/USDT");
    await watch("ETH/USDT");
    clock = CLOSE - 11_000;
    await run();
    expect(clock).toBe(CLOSE - 11_000);
    clock = CLOSE - 9_500;
    await run();
    expect(clock).toBe(CLOSE + 2_000);
    expect(await queuedAfter()).toEqual([2]);
    clock = CLOSE + 7_000;
    await run();
    expect(await queuedAfter()).toEqual([2, 16]);
    expect(clock).toBe(CLOSE + 16_000);
  });

  it("ends when the worker stops", async () => {
    await watch("BTC/USDT");
    clock = CLOSE - 5_000;
    await run({ pause: async () => stop.abort() });
    expect(await queuedAfter()).toEqual([]);
  });

  it("makes everything once on two workers at once whose own clocks are a minute off", async () => {
    const symbols = ["BTC/USDT", "ETH/USDT", "SOL/USDT", "XRP/USDT"];
    for (const symbol of symbols) await watch(symbol);
    const workers = [
      { now: () => new Date(clock - MINUTE_MS) },
      { now: () => new Date(clock + MINUTE_MS), database: elsewhere },
    ];
    for (clock = CLOSE - 60_000; clock < CLOSE + 60_000; clock += 5_000) {
      await Promise.all(workers.map((worker) => run(worker)));
    }
    const made = await database.marketAnalyses.find().sort({ symbol: 1 }).lean();
    expect(made.map(({ symbol, candleClosedAt }) => [symbol, candleClosedAt.getTime()])).toEqual(
      symbols.map((symbol) => [symbol, CLOSE]),
    );
    expect(await database.jobs.countDocuments()).toBe(symbols.length);
    const plans = await database.scheduledAnalyses.find({ candleClosedAt: new Date(CLOSE) }).lean();
    expect(plans.map(({ status }) => status)).toEqual(symbols.map(() => "queued"));
  });

  it("is a recurring job of workers, by the clock of the database", async () => {
    clock = 0;
    const sources = { live: undefined, replay: undefined };
    const settings = loadWorkerSettings({});
    const market = { sources, currentSource: () => "live" as const };
    const job = recurringJobs(deps, { market, settings }).find(
      ({ name }) => name === "schedule-analyses",
    );
    const before = await readTime(database);
    const working = job?.work(stop.signal);
    await expect
      .poll(() => database.watchSchedules.findById("1m").lean(), { timeout: 30_000 })
      .toMatchObject({ plannedUntil: expect.any(Date) });
    await expect
      .poll(async () => (await database.watchSchedules.findById("1m").lean())?.plannedUntil)
      .toEqual(new Date(Math.floor(before.getTime() / MINUTE_MS) * MINUTE_MS));
    stop.abort();
    await working;
  });
});
