import { MINUTE_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase, readTime } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { addStandingItems } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { memoryMarketData, scriptedAnalyst } from "../testing/fakes.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { runSchedule, type ScheduleDeps, schedulingAnalyses } from "./schedule-analyses.ts";

const CLOSE = Date.parse("2026-11-20T12:00:00Z");

describe("a run of the schedule", () => {
  let database: Database;
  /** The connection of another worker. */
  let elsewhere: Database;
  let ann: UserRecord;
  let deps: WorkerDeps;
  /** Unix milliseconds. */
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
      evidence: NO_EVIDENCE,
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
      readTime: async () => new Date(clock),
      ...overrides,
    });
  /** Seconds after the close at which each analysis was queued. */
  const queuedAfter = async () => {
    const made = await database.marketAnalyses.find().sort({ createdAt: 1 }).lean();
    return made.map(({ createdAt }) => (createdAt.getTime() - CLOSE) / 1_000);
  };

  it("is followed by one at the next close, and by one when each analysis is due", async () => {
    await watch("BTC/USDT");
    await watch("ETH/USDT");
    const runsAfter: number[] = [];
    for (clock = CLOSE - 11_000; clock < CLOSE + 60_000; clock = (await run()).getTime()) {
      runsAfter.push((clock - CLOSE) / 1_000);
    }
    expect(runsAfter).toEqual([-11, 0, 2, 16]);
    expect(clock).toBe(CLOSE + 60_000);
    expect(await queuedAfter()).toEqual([2, 16]);
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

  it("is work that is always there, by the clock of the database", async () => {
    clock = 0;
    const before = await readTime(database);
    const handlers = [schedulingAnalyses({ ...deps, minTimeframe: "1m" })];
    for (const _ of Array(2)) await addStandingItems(database, handlers);
    const queue = new WorkQueue({ database, logger: deps.logger, workerId: "one", handlers });
    queue.start();
    await expect
      .poll(() => database.watchSchedules.findById("1m").lean(), { timeout: 30_000 })
      .toMatchObject({ plannedUntil: expect.any(Date) });
    await expect
      .poll(async () => (await database.watchSchedules.findById("1m").lean())?.plannedUntil)
      .toEqual(new Date(Math.floor(before.getTime() / MINUTE_MS) * MINUTE_MS));
    await queue.stop({ drainMs: 5_000 });
    const items = await database.jobs.find({ name: "schedule-analyses" }).lean();
    expect(items).toMatchObject([{ lockedAt: null, failCount: null }]);
  });
});
