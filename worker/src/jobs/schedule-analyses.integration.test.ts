import { MINUTE_MS } from "@shared/contract/constants.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { countAiCost } from "@shared/domain/ai-budget.ts";
import { analysisKey, joiningAnalyses, lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit, commitBatched } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { pendingTrade, runResult } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { serveWatchersOf } from "../signals/fan-out.ts";
import { requeueStrandedSignals } from "../signals/requeue-stranded-signals.ts";
import { runAnalysis } from "../signals/run-analysis.ts";
import { finishRun, startRuns } from "../signals/signal-lifecycle.ts";
import { calmMarket, memoryMarketData, scriptedAnalyst } from "../testing/fakes.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { planCloses, queueDueAnalyses } from "./schedule-analyses.ts";

/** A Friday on which all markets are open. */
const CLOSE = new Date("2026-11-20T12:00:00Z");
const SETUP = { data: "live", analyst: "openai", model: "m", analystVersion: "openai/1" } as const;

describe("the schedule of watched markets", () => {
  let database: Database;
  /** The connection of another worker. */
  let elsewhere: Database;
  let ann: UserRecord;
  let deps: WorkerDeps;

  beforeAll(async () => {
    const uri = testDatabaseUri();
    database = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
    await database.analysisSetup.create({ _id: "current", ...SETUP });
  });
  beforeEach(async () => {
    const { watchlistItems, watchSchedules, scheduledAnalyses, marketAnalyses } = database;
    const emptied = [watchlistItems, watchSchedules, scheduledAnalyses, marketAnalyses];
    for (const model of [...emptied, database.jobs, database.aiSpending, database.signals]) {
      await model.collection.deleteMany({});
    }
    ann = await createUser(database, { approved: true });
    deps = {
      database,
      logger: createLogger({ service: "test", level: "silent" }),
      metrics: createWorkerMetrics(),
      marketData: memoryMarketData({}),
      analyst: scriptedAnalyst([]),
      evidence: NO_EVIDENCE,
      tradingCosts: DEFAULT_TRADING_COSTS,
      now: () => secondsLater(5),
      shutdown: new AbortController().signal,
    };
  });
  afterAll(() => Promise.all([database.close(), elsewhere.close()]));

  const secondsLater = (seconds: number) => new Date(CLOSE.getTime() + seconds * 1_000);
  const watch = (item: Partial<WatchlistItemRecord> = {}, user: { _id: Types.ObjectId } = ann) =>
    createWatchlistItem(database, user, { createdAt: new Date(0), ...item });
  const planAt = (at: Date, on = database, minTimeframe: Timeframe = "1m") =>
    planCloses({ ...deps, minTimeframe, database: on }, at);
  const queueAt = (at: Date, on = database) => queueDueAnalyses({ ...deps, database: on }, at);
  const plans = () => database.scheduledAnalyses.find().sort({ dueAt: 1 }).lean();
  const planned = async () =>
    (await plans()).map(({ symbol, timeframe }) => `${symbol} ${timeframe}`);
  const analyses = () => database.marketAnalyses.find().lean();
  const jobs = () => database.jobs.find().sort({ priority: -1 }).lean();
  const counted = async (result: string) => {
    const { values } = (await deps.metrics.registry
      .getSingleMetric("scheduled_analyses_total")
      ?.get()) ?? { values: [] };
    return values.find(({ labels }) => labels.result === result)?.value ?? 0;
  };

  /** What a server does for a request at this time. */
  async function request(at: Date, on = database): Promise<void> {
    const user = await createUser(database, { approved: true });
    const asked = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
    const candleClosedAt = lastCandleClose("1h", at);
    const key = analysisKey({ ...asked, candleClosedAt }, { ...SETUP });
    const input = (when: Date) => ({
      database: on,
      userId: user._id,
      request: asked,
      key,
      candleClosedAt,
      at: when,
    });
    const options = { lockKeys: userStream(user._id), batch: { write: joiningAnalyses, input } };
    await commitBatched(on, { ...options, now: () => at }, (uow, joined) =>
      queueSignal(on, uow, { id: newSignalId(), userId: user._id, request: asked, joined }),
    );
  }
  async function startOnly() {
    const [analysis] = await analyses();
    const ids = analysis ? [analysis._id] : [];
    const started = await commit(database, { lockKeys: "test" }, (uow) =>
      startRuns(database, uow, ids),
    );
    const [run] = started.runs;
    if (!run) throw new Error("the analysis could not be started");
    return run;
  }
  const finish = async (signal: "BUY" | "WAIT") => {
    const source = { provider: "memory", price: 100, last_candle_at: CLOSE.toISOString() };
    const { analysis } = pendingTrade({ at: CLOSE, source });
    const isTrade = signal === "BUY";
    const result = runResult("completed", isTrade ? analysis : undefined);
    await finishRun(database, await startOnly(), result);
  };
  /** What another worker does some seconds later. */
  const resume = async () => {
    const now = () => new Date(Date.now() + 10_000);
    const marketData = calmMarket({ provider: "memory", now: () => now().getTime() });
    const other = { ...deps, now, marketData, database: elsewhere };
    for (const { data } of await database.jobs.find({ name: "fan-out" }).lean()) {
      await serveWatchersOf(other, String(data.analysisId), deps.shutdown);
    }
  };
  const watchersServed = () => database.signals.countDocuments({ origin: "watchlist" });

  it("has each open market once, those with the most watchers first, over half a minute", async () => {
    const bob = await createUser(database, { approved: true });
    await watch({ symbol: "ETH/USDT" });
    await watch({ symbol: "SOL/USDT" });
    await watch({ symbol: "SOL/USDT" }, bob);
    await watch({ symbol: "EUR/USD", timeframe: "4h" });
    await planAt(secondsLater(-1));
    await database.scheduledAnalyses.deleteMany();
    await Promise.all([
      planAt(secondsLater(0)),
      planAt(secondsLater(0), elsewhere),
      planAt(secondsLater(1), elsewhere),
    ]);
    const made = await plans();
    const symbols = made.map(({ symbol, watchers }) => `${symbol} ${watchers}`);
    expect(symbols.toSorted()).toEqual(["ETH/USDT 1", "EUR/USD 1", "SOL/USDT 2"]);
    expect(symbols.at(-1)).toBe("ETH/USDT 1");
    expect(made.map(({ _id }) => _id)).toContain("EUR/USD 4h 2026-11-20T12:00:00.000Z");
    expect(made.map(({ dueAt }) => dueAt.getTime() - CLOSE.getTime())).toEqual([
      2_000, 2_000, 16_000,
    ]);
  });

  it("leaves out closed markets, and items of others than approved users at that close", async () => {
    await watch({ symbol: "ETH/USDT", enabled: false });
    await watch({ symbol: "SOL/USDT", createdAt: secondsLater(1) });
    await watch({ symbol: "XRP/USDT" }, await createUser(database));
    await watch({ symbol: "BTC/USDT" });
    await planAt(secondsLater(2));
    expect(await planned()).toEqual(["BTC/USDT 1h"]);
    await watch({ symbol: "EUR/USD" });
    const saturday = new Date("2026-11-21T12:00:00Z");
    await planAt(saturday);
    expect(await planned()).not.toContain("EUR/USD 1h");
    expect(await plans()).toHaveLength(3);
  });

  it("leaves out items that are shorter than what can be watched, and does not miss them", async () => {
    await watch({ timeframe: "15m" });
    await watch({ timeframe: "30m", symbol: "ETH/USDT" });
    await planAt(secondsLater(0), database, "30m");
    await planAt(secondsLater(31 * 60), database, "30m");
    expect(await planned()).toEqual(["ETH/USDT 30m", "ETH/USDT 30m"]);
    await planAt(secondsLater(45 * 60));
    expect((await planned()).slice(2)).toEqual(["BTC/USDT 15m"]);
    expect(await counted("missed")).toBe(0);
  });

  it.each<[string, number, string[], number]>([
    ["less than half a candle after a close", 29, ["BTC/USDT 1h", "BTC/USDT 1h"], 0],
    ["three closes later", 3 * 60 + 29, ["BTC/USDT 1h", "BTC/USDT 1h"], 3],
    ["half a candle after the third close", 3 * 60 + 30, ["BTC/USDT 1h"], 4],
  ])("has the newest close only after downtime until %s", async (...row) => {
    const [, minutes, expected, missed] = row;
    await watch();
    await planAt(secondsLater(-3_600));
    await planAt(new Date(CLOSE.getTime() + minutes * MINUTE_MS));
    expect(await planned()).toEqual(expected);
    expect(await counted("missed")).toBe(missed);
  });

  it("queues an analysis once with two workers, with the key of a request", async () => {
    await watch();
    await planAt(secondsLater(0));
    await queueAt(secondsLater(1));
    expect(await analyses()).toEqual([]);
    await Promise.all([queueAt(secondsLater(2)), queueAt(secondsLater(2), elsewhere)]);
    await queueAt(secondsLater(3), elsewhere);
    await request(secondsLater(4));
    expect(await analyses()).toHaveLength(1);
    expect(await analyses()).toMatchObject([
      { status: "queued", limit: 50, candleClosedAt: CLOSE, fanOut: { after: null } },
    ]);
    expect(await jobs()).toHaveLength(1);
  });

  it("queues behind requests by number of watchers, and ahead of them once a request joins", async () => {
    const bob = await createUser(database, { approved: true });
    for (const symbol of ["BTC/USDT", "ETH/USDT"]) await watch({ symbol });
    await watch({ symbol: "ETH/USDT" }, bob);
    await planAt(secondsLater(0));
    await queueAt(secondsLater(30));
    const symbolsInOrder = async () => {
      const made = await analyses();
      return (await jobs()).map(({ _id }) => made.find((one) => one._id.equals(_id))?.symbol);
    };
    expect(await symbolsInOrder()).toEqual(["ETH/USDT", "BTC/USDT"]);
    await request(secondsLater(31));
    expect(await symbolsInOrder()).toEqual(["BTC/USDT", "ETH/USDT"]);
  });

  it.each([
    ["a finished trade, whose watchers get their signals once its entry is checked", "BUY", 1],
    ["a finished WAIT", "WAIT", 0],
  ] as const)("joins the analysis of a request: %s", async (_, signal, served) => {
    await watch();
    await planAt(secondsLater(0));
    await request(secondsLater(1));
    await finish(signal);
    await queueAt(secondsLater(2));
    expect(await analyses()).toHaveLength(1);
    expect(await counted("shared")).toBe(1);
    expect(await watchersServed()).toBe(0);
    await resume();
    expect(await watchersServed()).toBe(served);
    expect((await analyses())[0]).not.toHaveProperty("fanOut");
  });

  it("gives watchers their signals although the worker died once it had joined a finished trade", async () => {
    await watch();
    await planAt(secondsLater(0));
    await request(secondsLater(1));
    await finish("BUY");
    const crash = new Error("The worker has crashed.");
    const scheduledAnalyses = () => {
      throw crash;
    };
    const dying = { ...deps, metrics: { ...deps.metrics, scheduledAnalyses } };
    await queueDueAnalyses(dying, secondsLater(2));
    expect(await watchersServed()).toBe(0);
    await resume();
    expect(await watchersServed()).toBe(1);
  });

  it("stops at 80 percent of the daily budget", async () => {
    await watch();
    await planAt(secondsLater(0));
    deps = { ...deps, budgetUsdPerDay: 10 };
    await countAiCost(database, { costUsd: 8, endedAt: CLOSE });
    await queueAt(secondsLater(2));
    expect(await analyses()).toEqual([]);
    expect(await plans()).toMatchObject([{ status: "skipped" }]);
    expect(await counted("budget")).toBe(1);
  });

  it("skips what no worker has queued within half a candle", async () => {
    await watch();
    await planAt(secondsLater(0));
    await queueAt(secondsLater(30 * 60));
    expect(await plans()).toMatchObject([{ status: "skipped" }]);
    expect(await counted("late")).toBe(1);
  });

  it.each<[string, Timeframe, boolean, string]>([
    ["fails without a request of it", "1h", false, "closed too long ago"],
    ["is made for a request that has joined", "1h", true, "No market data provider"],
  ])("an analysis that was queued before a long downtime %s", async (...row) => {
    const [, , isJoined, warning] = row;
    await watch();
    // By the clock of the database, whatever that of the worker is.
    const closedAt = lastCandleClose("1h", new Date(Date.now() - 60 * MINUTE_MS));
    await planAt(closedAt);
    await queueAt(new Date(closedAt.getTime() + 2_000));
    if (isJoined) await request(new Date(closedAt.getTime() + 3_000));
    const wrongClock = { ...deps, now: () => closedAt };
    await runAnalysis(wrongClock, await startOnly(), deps.shutdown);
    const [analysis] = await analyses();
    expect(analysis).toMatchObject({ status: "failed" });
    expect(analysis?.result?.analysis.warnings.join()).toContain(warning);
    expect(await watchersServed()).toBe(0);
  });

  it("queues a scheduled analysis again whose job was deleted", async () => {
    await watch();
    await planAt(secondsLater(0));
    await queueAt(secondsLater(2));
    await database.jobs.deleteMany();
    await requeueStrandedSignals(deps);
    const [analysis] = await analyses();
    expect((await jobs()).map(({ _id }) => _id)).toEqual([analysis?._id]);
  });
});
