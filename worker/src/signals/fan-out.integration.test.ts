import { DAY_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { type SignalResponse, signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { newSubscription } from "@shared/domain/subscription-schedule.ts";
import { commit } from "@shared/outbox/commit.ts";
import { eventsOf as loggedEventsOf, readEvents } from "@shared/outbox/event-log.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { groupBy } from "@shared/stats/intervals.ts";
import {
  createUser,
  createWatchlistItem,
  insertAll,
  newWatchlistItem,
} from "@shared/testing/factories.ts";
import {
  createSignals,
  pendingTrade,
  resolvedTrade,
  runResult,
  startRun,
  WAIT_ANALYSIS,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { WorkerStoppingError } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { MarketData } from "../market-data/market-data.ts";
import { shareFill } from "../outcomes/commit-outcome.ts";
import { liveSeries, memoryMarketData } from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { fanOut, MAX_USERS, serveWatchers, serveWatchersOf, stopBatches } from "./fan-out.ts";
import { requeueFanOuts } from "./requeue-stranded-signals.ts";
import { finishRun } from "./signal-lifecycle.ts";

const FINISHED_AT = new Date("2026-11-20T12:00:05Z");

const CLOSED_AT = Date.UTC(2026, 10, 20, 12);
const SOURCE = {
  provider: "memory",
  price: 100,
  last_candle_at: new Date(CLOSED_AT).toISOString(),
};

/** Candles of one minute since the analysis that close so. */
const minutes = (prices: number[]): Candle[] =>
  prices.map((close, index) => {
    const time = CLOSED_AT + index * MINUTE_MS;
    return { time, open: close, high: close, low: close, close, volume: 1 };
  });

describe("the signals of watchers", () => {
  let database: Database;
  /** The connection of another worker. */
  let elsewhere: Database;
  let template: UserRecord;
  const uri = testDatabaseUri();
  const logger = createLogger({ service: "test", level: "silent" });
  const now = () => new Date(FINISHED_AT.getTime() + 10_000);
  const depsOn = (on: Database) => ({ database: on, metrics: createWorkerMetrics(), now });
  /** The market since the trades. */
  let marketData: MarketData;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
    template = await createUser(database, { approved: true });
  });
  beforeEach(async () => {
    marketData = memoryMarketData({ "BTC/USDT": liveSeries(minutes([100, 100])) });
    await Promise.all([database.watchlistItems.deleteMany(), database.jobs.deleteMany()]);
  });
  afterAll(() => Promise.all([database.close(), elsewhere.close()]));

  /** The work of a worker some seconds after the analysis. */
  const serve = (analysisId: Types.ObjectId, on = elsewhere, metrics = createWorkerMetrics()) => {
    const { signal } = new AbortController();
    const deps = { ...depsOn(on), metrics, logger, marketData };
    return serveWatchersOf(deps, String(analysisId), signal);
  };
  /** A BUY with confidence 70 that is made for watchlists. */
  async function trade(market: object = {}): Promise<Types.ObjectId> {
    const requester = { _id: new Types.ObjectId() };
    const [signal] = await createSignals(database, requester, {
      ...pendingTrade({ at: FINISHED_AT, source: SOURCE }),
      market: { fanOut: { after: null }, ...market },
    });
    if (!signal) throw new Error("there is no signal");
    await database.signals.deleteOne({ _id: signal._id });
    return signal.analysisId;
  }
  const watcher = async (
    { approved = true, ...user }: Partial<UserRecord> = {},
    item: Partial<WatchlistItemRecord> = {},
  ): Promise<UserRecord> => {
    const watching = await createUser(database, { approved, ...user });
    await createWatchlistItem(database, watching, item);
    return watching;
  };
  /** Approved users who watch the market. */
  async function watchers(count: number): Promise<UserRecord[]> {
    const users = Array.from({ length: count }, () => {
      const _id = new Types.ObjectId();
      const unique = {
        usernameKey: `${_id}`,
        emailKey: `${_id}@example.com`,
        identityId: `${_id}`,
      };
      return { ...template, _id, username: `${_id}`, ...unique };
    });
    await insertAll(database.users, users);
    await insertAll(
      database.watchlistItems,
      users.map((user) => newWatchlistItem(user)),
    );
    return users;
  }
  const signalsOf = (analysisId: Types.ObjectId) => database.signals.find({ analysisId }).lean();
  const ownersOf = async (analysisId: Types.ObjectId) =>
    (await signalsOf(analysisId)).map(({ userId }) => String(userId)).toSorted();
  const idsOf = (users: readonly UserRecord[]) => users.map(({ _id }) => String(_id)).toSorted();
  const eventsOf = async ({ _id }: Pick<UserRecord, "_id">) => {
    const events = await readEvents(database, { stream: userStream(_id), after: 0, limit: 100 });
    return events.map(({ seq, name, data }) => ({ seq, name, data }));
  };
  /** Those of all users by their streams, in one read. */
  const eventsByStream = async () => {
    const written = (await database.events.find().lean()).flatMap(loggedEventsOf);
    const inOrder = written.toSorted((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
    return groupBy(inOrder, ({ stream }) => stream);
  };
  /** Each has one signal and one event, and the fan-out is over. */
  async function expectServed(
    analysisId: Types.ObjectId,
    users: readonly UserRecord[],
    { events } = { events: 1 },
  ) {
    expect(await ownersOf(analysisId)).toEqual(idsOf(users));
    const byStream = await eventsByStream();
    const counts = users.map(({ _id }) => byStream.get(userStream(_id))?.length);
    expect(counts).toEqual(users.map(() => events));
    const analysis = await database.marketAnalyses.findById(analysisId).lean();
    expect(analysis).not.toHaveProperty("fanOut");
  }

  it("are sized for each, and come with one event", async () => {
    const ann = await watcher({}, { amount: 5_000, riskPercent: 2, leverage: 10 });
    const analysisId = await trade();
    await fanOut(depsOn(database), analysisId);
    const [signal] = await signalsOf(analysisId);
    expect(signal).toMatchObject({
      userId: ann._id,
      origin: "watchlist",
      status: "completed",
      limit: 50,
      amount: 5_000,
      riskPercent: 2,
      leverage: 10,
      analysis: { final_signal: "BUY", estimated_dollar_risk: 100, suggested_units: 50 },
    });
    const [event, ...others] = await eventsOf(ann);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ seq: 1, name: "signal:completed" });
    const data: SignalResponse = eventSchemas["signal:completed"].parse(event?.data);
    expect(data).toMatchObject({ signal_id: String(signal?._id), origin: "watchlist" });
    expect(data.analysis?.source.analysis_id).toBe(String(analysisId));
    expect((await database.users.findById(ann._id).lean())?.unfinishedSignals).toBe(0);
  });

  it("go to approved users whose enabled item wants this confidence", async () => {
    const term = { plan: "trader", months: 1, graceDays: 3 } as const;
    const startedAt = (daysAgo: number) => new Date(FINISHED_AT.getTime() - daysAgo * DAY_MS);
    const entitled = [
      await watcher(),
      await watcher({}, { minConfidence: 70 }),
      await watcher({ subscription: newSubscription(startedAt(32), term) }),
    ];
    await watcher({ approved: false });
    await watcher({ subscription: newSubscription(startedAt(60), term) });
    await watcher({}, { minConfidence: 70.1 });
    await watcher({}, { enabled: false });
    await watcher({}, { timeframe: "4h" });
    await watcher({}, { symbol: "ETH/USDT" });
    await createWatchlistItem(database, { _id: new Types.ObjectId() });
    const analysisId = await trade();
    await fanOut(depsOn(database), analysisId);
    await expectServed(analysisId, entitled);
  });

  it("do not go to users who have a signal of the analysis, in whatever state", async () => {
    const analysisId = await trade();
    const bob = await watcher();
    const ann = await watcher();
    const own = { analysisId, withAnalysis: false } as const;
    await createSignals(database, ann, { ...own, status: "running" });
    await fanOut(depsOn(database), analysisId);
    expect(await ownersOf(analysisId)).toEqual(idsOf([bob, ann]));
    expect(await eventsOf(ann)).toEqual([]);
  });

  it("are made once each by workers that stop after every batch, and others that continue", async () => {
    const users = await watchers(2 * MAX_USERS + 7);
    const analysisId = await trade();
    const stopped = new Error("The worker is stopped.");
    const metrics = {
      ...createWorkerMetrics(),
      watchlistSignals() {
        throw stopped;
      },
    };
    for (const served of [MAX_USERS, 2 * MAX_USERS]) {
      await expect(fanOut({ database, metrics, now }, analysisId)).rejects.toBe(stopped);
      expect(await ownersOf(analysisId)).toHaveLength(served);
    }
    await serve(analysisId);
    await expectServed(analysisId, users);
    await serve(analysisId);
    await expectServed(analysisId, users);
  });

  it("are made by any worker, as work that the end of the analysis adds", async () => {
    const requester = await createUser(database, { approved: true });
    const market = { key: String(new Types.ObjectId()), fanOut: { after: null } };
    const created = { status: "queued", revision: 0, market } as const;
    const [signal] = await createSignals(database, requester, created);
    const run = signal && (await startRun(database, signal));
    if (!run) throw new Error("the analysis could not be started");
    const ann = await watcher();
    const { analysis } = pendingTrade({ at: database.now(), source: SOURCE });
    await finishRun(database, run, runResult("completed", analysis));
    const item = await database.jobs.findOne({ name: "fan-out" }).lean();
    expect(item).toMatchObject({ data: { analysisId: String(run._id) }, lockedAt: null });
    const deps = { ...depsOn(elsewhere), logger, marketData, now: elsewhere.now };
    const handlers = [serveWatchers(deps)];
    const queue = new WorkQueue({ database: elsewhere, logger, workerId: "other", handlers });
    queue.start();
    const isDone = async () => expect(await database.jobs.countDocuments()).toBe(0);
    await vi.waitFor(isDone, { timeout: 15_000, interval: 20 });
    await queue.stop({ drainMs: 0 });
    expect(await ownersOf(run._id)).toEqual(idsOf([requester, ann]));
    expect((await eventsOf(ann)).map(({ name }) => name)).toEqual(["signal:completed"]);
  });

  it("are made although an administrator deleted the work", async () => {
    const analysisId = await trade();
    for (const _ of Array(2)) await requeueFanOuts({ database, logger, now });
    const items = await database.jobs.find().lean();
    expect(items).toMatchObject([{ name: "fan-out", data: { analysisId: String(analysisId) } }]);
    await fanOut(depsOn(database), analysisId);
    await database.jobs.deleteMany();
    await requeueFanOuts({ database, logger, now });
    expect(await database.jobs.countDocuments()).toBe(0);
  });

  it("are made once each by workers that work at the same time, also beside other changes", async () => {
    const users = await watchers(MAX_USERS + 50);
    const analysisId = await trade();
    await Promise.all([
      fanOut(depsOn(database), analysisId),
      fanOut(depsOn(elsewhere), analysisId),
      fanOut(depsOn(elsewhere), analysisId),
    ]);
    await expectServed(analysisId, users);
  });

  it("are made by another worker after the batch in which one is stopped", async () => {
    const users = await watchers(2 * MAX_USERS);
    const analysisId = await trade();
    const stopped = await openDatabase({ uri });
    const metrics = { ...createWorkerMetrics(), watchlistSignals: () => stopBatches(stopped) };
    await expect(serve(analysisId, stopped, metrics)).rejects.toBeInstanceOf(WorkerStoppingError);
    expect(await database.signals.countDocuments({ analysisId })).toBe(MAX_USERS);
    await serve(analysisId);
    await expectServed(analysisId, users);
    await stopped.close();
  });

  it("are made once for users who request the analysis at the same time", async () => {
    const users = await watchers(50);
    const analysisId = await trade();
    const analysis = await database.marketAnalyses.findById(analysisId).orFail().lean();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
    const requesting = users.map(({ _id: userId }) =>
      commit(elsewhere, { lockKeys: userStream(userId), now }, (uow) => {
        const joined = { analysis, isNew: false };
        return queueSignal(elsewhere, uow, { id: newSignalId(), userId, request, joined });
      }),
    );
    await Promise.all([fanOut(depsOn(database), analysisId), ...requesting]);
    const signals = await signalsOf(analysisId);
    const byStream = await eventsByStream();
    for (const user of users) {
      const own = signals.filter(({ userId }) => userId.equals(user._id));
      const origins = own.map(({ origin }) => origin).toSorted();
      const names = byStream.get(userStream(user._id))?.map(({ name }) => name);
      const requested = ["signal:queued", "signal:started"];
      // A request that comes later waits for a check of the entry, as always.
      const isSecond = origins.length === 2;
      expect(origins).toEqual(isSecond ? ["request", "watchlist"] : ["request"]);
      expect(names).toEqual(isSecond ? ["signal:completed", ...requested] : requested);
    }
  });

  it("show that the trade is over if it ended during an interruption", async () => {
    await watcher();
    const entryLeft = { price: 105, at: FINISHED_AT };
    const filled = { price: 100, at: FINISHED_AT };
    const { market } = resolvedTrade({ at: FINISHED_AT, outcome: "WIN", resolvedAt: now() });
    const analysisId = await trade({ entryLeft, filled, ...market });
    await fanOut(depsOn(database), analysisId);
    const [signal] = await signalsOf(analysisId);
    expect(signal).toMatchObject({ entryLeft, filled, outcome: "WIN" });
    const names = signal ? (await eventsOf({ _id: signal.userId })).map(({ name }) => name) : [];
    expect(names).toEqual([
      "signal:completed",
      "signal:filled",
      "signal:entry-left",
      "signal:outcome",
    ]);
  });

  it("say at once that the entry is missed, in every batch after an interruption", async () => {
    const users = await watchers(MAX_USERS + 5);
    const analysisId = await trade();
    marketData = memoryMarketData({ "BTC/USDT": liveSeries(minutes([100, 98])) });
    await serve(analysisId);
    await expectServed(analysisId, users, { events: 2 });
    const left = { price: 98, at: "2026-11-20T12:02:00.000Z" };
    const byStream = await eventsByStream();
    for (const { userId, _id, entryLeft } of await signalsOf(analysisId)) {
      expect(entryLeft?.price).toBe(98);
      expect(byStream.get(userStream(userId))?.[1]).toMatchObject({
        seq: 2,
        name: "signal:entry-left",
        data: { signal_id: String(_id), ...left },
      });
    }
  });

  it("are not made after an interruption until the entry can be checked", async () => {
    const ann = await watcher();
    const analysisId = await trade();
    marketData = memoryMarketData({});
    await expect(serve(analysisId)).rejects.toThrow("could not be checked");
    expect(await ownersOf(analysisId)).toEqual([]);
    marketData = memoryMarketData({ "BTC/USDT": liveSeries(minutes([100, 101])) });
    await serve(analysisId);
    await expectServed(analysisId, [ann]);
    expect(await signalsOf(analysisId)).not.toMatchObject([{ entryLeft: expect.anything() }]);
  });

  it("come before the further progress of other trades of many users", async () => {
    const users = await watchers(3 * MAX_USERS);
    const earlier = await trade();
    await fanOut(depsOn(database), earlier);
    const analysisId = await trade();
    await Promise.all([
      fanOut(depsOn(database), analysisId),
      shareFill(database, earlier, { price: 100, at: FINISHED_AT }),
    ]);
    await expectServed(analysisId, users, { events: 3 });
    const written = await database.events.find().sort({ _id: 1 }).lean();
    const names = written.slice(-6).map(({ name }) => name);
    // The first of each is written at once: most trades have few users.
    expect(names.slice(-2)).toEqual(["signal:filled", "signal:filled"]);
    expect(names.toSorted()).toEqual([
      ...Array<string>(3).fill("signal:completed"),
      ...Array<string>(3).fill("signal:filled"),
    ]);
  });

  it("are looked at twice at most when their trade is filled, however many there are", async () => {
    const users = await watchers(2 * MAX_USERS);
    const analysisId = await trade();
    await fanOut(depsOn(database), analysisId);
    const { db } = database.connection;
    await db?.command({ profile: 2 });
    await shareFill(database, analysisId, { price: 100, at: FINISHED_AT });
    await db?.command({ profile: 0 });
    const [read] = await database.connection
      .collection("system.profile")
      .aggregate([
        { $match: { "command.find": "signals", "command.filter.analysisId": analysisId } },
        { $group: { _id: null, documents: { $sum: "$docsExamined" } } },
      ])
      .toArray();
    expect(read?.documents).toBeGreaterThanOrEqual(users.length);
    expect(read?.documents).toBeLessThanOrEqual(2 * users.length);
  });

  it.each([
    ["a WAIT", runResult("completed", WAIT_ANALYSIS)],
    ["a failed analysis", runResult("failed")],
  ])("are not made of %s", async (_, result) => {
    const requester = await createUser(database, { approved: true });
    const [signal] = await createSignals(database, requester, {
      status: "queued",
      revision: 0,
      market: { fanOut: { after: null } },
    });
    const run = signal && (await startRun(database, signal));
    if (!run) throw new Error("the analysis could not be started");
    const ann = await watcher();
    await finishRun(database, run, result);
    await fanOut(depsOn(database), run._id);
    expect(await eventsOf(ann)).toEqual([]);
    const analysis = await database.marketAnalyses.findById(run._id).lean();
    expect(analysis).not.toHaveProperty("fanOut");
    expect(await ownersOf(run._id)).toEqual(idsOf([requester]));
  });
});
