import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentHistoryItem, presentSignal } from "@shared/domain/present-signal.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { readEvents } from "@shared/outbox/event-log.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { type Bar, bars, NOON } from "@shared/testing/made-market.ts";
import { createSignals, storeTrade, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fanOut, MAX_USERS, stopBatches } from "../signals/fan-out.ts";
import { reuseAnalysis } from "../signals/reuse-analysis.ts";
import { calmMarket, patient, type ScriptedMarket, scriptedMarket } from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { CandleArchive } from "./candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "./resolve-outcomes.ts";

const CALM: Bar = [100, 101, 99, 100];
const WON: Bar = [100, 111, 99, 110];
const MADE_AT = new Date(NOON);
const logger = createLogger({ service: "test", level: "silent" });
const signalRefSchema = eventSchemas["signal:filled"].pick({ signal_id: true });
const at = (hours: number, ms = 5 * SECOND_MS) => NOON + hours * HOUR_MS + ms;
const iso = (timeMs: number) => new Date(timeMs).toISOString();

describe("the fill of a trade", () => {
  let database: Database;
  /** The connection of another worker. */
  let elsewhere: Database;
  let ann: UserRecord;
  const uri = testDatabaseUri();

  beforeAll(async () => {
    database = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
  });
  afterAll(() => Promise.all([database.close(), elsewhere.close()]));
  beforeEach(async () => {
    vi.restoreAllMocks();
    const { signals, marketAnalyses, outcomeCandles, marketCandles, events } = database;
    const used = [signals, marketAnalyses, outcomeCandles, marketCandles, events];
    await Promise.all(used.map((model) => model.collection.deleteMany({})));
    ann = await createUser(database, { approved: true });
  });

  /** A worker that resolves trades at the times that the market's clock shows. */
  const worker = (market: ScriptedMarket, on: Database = database) => {
    const archive = new CandleArchive({ live: market, replay: undefined });
    const deps = { logger, archive, backoff: new MarketBackoff() };
    return (now: number) => {
      market.now = now;
      return resolveOutcomes({
        ...deps,
        database: on,
        tradingCosts: DEFAULT_TRADING_COSTS,
        now: () => new Date(now),
        abort: new AbortController().signal,
      });
    };
  };
  const hourly = (prices: readonly Bar[]) => scriptedMarket({ "1h": bars(prices) }, NOON);
  const eventsOf = async ({ _id }: Pick<UserRecord, "_id">) => {
    const all = { stream: userStream(_id), after: 0, limit: 1_000 };
    const events = await readEvents(database, all);
    return events.map(({ name, data }) => ({ name, data }));
  };
  const names = async (user: UserRecord) => (await eventsOf(user)).map(({ name }) => name);
  const filledEvent = (signal: SignalRecord | undefined, price: number, timeMs: number) => ({
    name: "signal:filled",
    data: { signal_id: String(signal?._id), price, filled_at: iso(timeMs) },
  });
  /** A BUY below the market, or above it. */
  const orderAt = (entry: number, price: number) =>
    tradeAnalysis(MADE_AT, {
      entry,
      stop_loss: entry - 5,
      take_profit: entry + 10,
      source: { ...tradeAnalysis(MADE_AT).source, price },
    });
  /** A request that is answered, at this time, from an analysis that is finished. */
  async function join(
    user: UserRecord,
    { analysisId }: Pick<SignalRecord, "analysisId">,
    now: number,
  ) {
    const analysis = await database.marketAnalyses.findById(analysisId).lean();
    if (!analysis) throw new Error("there is no analysis");
    const { symbol, timeframe, limit } = analysis;
    const request = { symbol, timeframe, limit, amount: 100, risk_percent: 1, leverage: 1 };
    const joined = await commit(database, { lockKeys: userStream(user._id) }, (uow) =>
      queueSignal(database, uow, {
        id: newSignalId(),
        userId: user._id,
        request,
        joined: { analysis, isNew: false },
      }),
    );
    const marketData = calmMarket({ provider: "scripted", now: () => now });
    const deps = { database, logger, marketData, now: () => new Date(now) };
    await reuseAnalysis(deps, analysisId, patient());
    return joined;
  }

  it("of an entry at the market is published after the first minute, at its open, once", async () => {
    const madeAt = new Date(NOON + 20 * SECOND_MS);
    const signal = await storeTrade(database, ann, { madeAt });
    const minutes = bars([CALM, [100.2, 101, 99, 100]], { timeframe: "1m" });
    const filler = bars(Array<Bar>(58).fill(CALM), { timeframe: "1m", from: NOON + 2 * MINUTE_MS });
    const market = scriptedMarket(
      { "1h": bars([[100, 101, 99, 100], WON]), "1m": [...minutes, ...filler] },
      NOON,
    );
    const resolve = worker(market);
    await resolve(NOON + 25 * SECOND_MS);
    expect(await eventsOf(ann)).toEqual([]);
    await resolve(NOON + 2 * MINUTE_MS + 5 * SECOND_MS);
    const filled = filledEvent(signal, 100.2, NOON + MINUTE_MS);
    expect(await eventsOf(ann)).toEqual([filled]);
    for (let hour = 1; hour <= 2; hour++) await resolve(at(hour));
    expect(await names(ann)).toEqual(["signal:filled", "signal:outcome"]);
    const { resolution } = (await database.marketAnalyses.findOne().lean()) ?? {};
    expect(resolution).toMatchObject({ fill: 100.2, filled_at: iso(NOON + MINUTE_MS) });
  });

  it("is that of the closed candles if there are no minutes", async () => {
    const madeAt = new Date(NOON + 20 * SECOND_MS);
    const signal = await storeTrade(database, ann, { madeAt });
    const resolve = worker(hourly([CALM, [100.4, 101, 99, 100]]));
    await resolve(NOON + 3 * MINUTE_MS);
    for (let hour = 1; hour <= 2; hour++) await resolve(at(hour, 70 * SECOND_MS));
    expect(await eventsOf(ann)).toEqual([filledEvent(signal, 100.4, NOON + HOUR_MS)]);
  });

  it("is not a touch of the entry, and is the open if the price jumped over it", async () => {
    const limit = await storeTrade(database, ann, { madeAt: MADE_AT, analysis: orderAt(98, 100) });
    const resolve = worker(hourly([[100, 101, 98, 99], [97, 99, 96, 98], CALM]));
    await resolve(at(1));
    expect(await eventsOf(ann)).toEqual([]);
    await resolve(at(2));
    expect(await eventsOf(ann)).toEqual([filledEvent(limit, 97, NOON + HOUR_MS)]);
  });

  it("stays in the signal and the history", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT, analysis: orderAt(98, 100) });
    const resolve = worker(hourly([[100, 101, 97, 99], CALM]));
    await resolve(at(1));
    const filled = { price: 98, at: iso(NOON) };
    const stored = await database.signals.findById(signal._id).lean();
    if (!stored) throw new Error("the signal is gone");
    expect(presentSignal(stored).filled).toEqual(filled);
    expect(presentHistoryItem(stored)).toMatchObject({ filled });
  });

  it("comes before the outcome that the same candle decides, also after downtime", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    await worker(hourly([CALM, WON, CALM]))(at(30));
    expect(await eventsOf(ann)).toMatchObject([
      filledEvent(signal, 100, NOON),
      { name: "signal:outcome", data: { outcome: "WIN" } },
    ]);
  });

  it("is not published for a trade that was never entered", async () => {
    await storeTrade(database, ann, { madeAt: MADE_AT, analysis: orderAt(98, 100) });
    await worker(hourly(Array<Bar>(12).fill([100, 101, 99, 100])))(at(12));
    expect(await names(ann)).toEqual(["signal:outcome"]);
  });

  it("reaches those who get the signal later, after the signal itself", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    const [bob, watcher, last] = await Promise.all(
      [0, 1, 2].map(() => createUser(database, { approved: true })),
    );
    if (!bob || !watcher || !last) throw new Error("there are too few users");
    const resolve = worker(hourly([CALM, WON, CALM]));
    await resolve(at(1));
    const joined = await join(bob, signal, at(1));
    await createWatchlistItem(database, watcher, { symbol: signal.symbol });
    const metrics = createWorkerMetrics();
    const later = { database, metrics, now: () => new Date(at(1, MINUTE_MS)) };
    const { analysisId } = signal;
    const due = { $set: { fanOut: { after: null }, "result.analysis.confidence": 90 } };
    await database.marketAnalyses.updateOne({ _id: analysisId }, due);
    await fanOut(later, analysisId);
    const joiningWith = ["signal:queued", "signal:started", "signal:completed", "signal:filled"];
    expect(await names(bob)).toEqual(joiningWith);
    expect((await eventsOf(bob)).at(-1)).toEqual(filledEvent(joined, 100, NOON));
    expect(await names(watcher)).toEqual(joiningWith.slice(2));
    await resolve(at(2));
    await join(last, signal, at(2));
    await resolve(at(2, 70 * SECOND_MS));
    expect(await names(bob)).toEqual([...joiningWith, "signal:outcome"]);
    // The trade is over: it is a WAIT.
    expect(await names(last)).toEqual(joiningWith.slice(0, 3));
    expect(await names(watcher)).toEqual([...joiningWith.slice(2), "signal:outcome"]);
  });

  it("reaches a signal that was made in the moment of the fill within two minutes", async () => {
    const { analysisId } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const resolve = worker(hourly([CALM, CALM, WON]));
    await resolve(at(1));
    const bob = await createUser(database);
    await createSignals(database, bob, {
      analysisId,
      withAnalysis: false,
      analysis: tradeAnalysis(MADE_AT),
    });
    await resolve(at(1, 70 * SECOND_MS));
    expect(await names(bob)).toEqual(["signal:filled"]);
  });

  it("is published once by workers that stop between batches, and others that work beside them", async () => {
    const { analysisId } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const bob = await createUser(database);
    const shared = { analysisId, withAnalysis: false, analysis: tradeAnalysis(MADE_AT) };
    await createSignals(database, bob, { ...shared, count: 201 });
    const market = hourly([CALM, WON, CALM]);
    const stopped = worker(market, elsewhere);
    for (const hours of [1, 2]) {
      const exists = elsewhere.signals.exists.bind(elsewhere.signals);
      vi.spyOn(elsewhere.signals, "exists")
        .mockImplementationOnce((filter) => exists(filter ?? {}))
        .mockImplementationOnce(() => {
          throw new Error("The worker is stopped.");
        });
      await stopped(at(hours)).catch(() => undefined);
      vi.restoreAllMocks();
      // On a busy machine, conflicts may outlast one of them. The next check continues.
      await Promise.allSettled([
        worker(market)(at(hours, 70 * SECOND_MS)),
        worker(market, elsewhere)(at(hours, 70 * SECOND_MS)),
      ]);
      await worker(market)(at(hours, 140 * SECOND_MS));
    }
    const events = await eventsOf(bob);
    expect(events).toHaveLength(402);
    for (const user of [ann, bob]) await expectOrdered(user, { isFilled: true });
  });

  it("is published by another worker at once after the batch in which one is stopped", async () => {
    const { analysisId } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const shared = { analysisId, withAnalysis: false, analysis: tradeAnalysis(MADE_AT) };
    await createSignals(database, await createUser(database), { ...shared, count: 4 * MAX_USERS });
    const market = hourly([CALM, WON, CALM]);
    for (const [hours, filter] of [
      [1, { filled: { $exists: false } }],
      [2, { outcome: { $exists: false } }],
    ] as const) {
      const stopped = await openDatabase({ uri });
      const countOpen = () => database.signals.countDocuments({ analysisId, ...filter });
      const all = await countOpen();
      const resolved = worker(market, stopped)(at(hours));
      await vi.waitUntil(async () => (await countOpen()) < all, { timeout: 15_000, interval: 1 });
      stopBatches(stopped);
      await resolved;
      expect(await countOpen()).toBeGreaterThan(0);
      // Without the minute that a check of the same trade waits otherwise.
      await worker(market)(at(hours, 6 * SECOND_MS));
      expect(await countOpen()).toBe(0);
      await stopped.close();
    }
    await expectOrdered(ann, { isFilled: true });
  });

  /** Each signal was filled before its outcome, each once. */
  async function expectOrdered(user: UserRecord, { isFilled }: { isFilled: boolean }) {
    const namesBySignal = new Map<string, string[]>();
    for (const { name, data } of await eventsOf(user)) {
      if (name !== "signal:filled" && name !== "signal:outcome") continue;
      const { signal_id } = signalRefSchema.parse(data);
      namesBySignal.set(signal_id, [...(namesBySignal.get(signal_id) ?? []), name]);
    }
    const expected = [...(isFilled ? ["signal:filled"] : []), "signal:outcome"];
    const signals = await database.signals.find({ userId: user._id }).lean();
    for (const { _id } of signals.filter(({ analysis }) => analysis?.final_signal !== "WAIT")) {
      expect(namesBySignal.get(String(_id))).toEqual(expected);
    }
  }

  const price = fc.integer({ min: 186, max: 214 }).map((halves) => halves / 2);
  const bar: fc.Arbitrary<Bar> = fc
    .tuple(price, price, price, price)
    .map((row) => [row[0], Math.max(...row), Math.min(...row), row[1]]);

  /** Follows a trade through a course of hours in which users join and workers are down. */
  async function follow(candles: Bar[], lastPrice: number, course: readonly string[]) {
    const signal = await storeTrade(database, ann, {
      madeAt: MADE_AT,
      analysis: orderAt(100, lastPrice),
    });
    const market = hourly([...candles, ...Array<Bar>(12).fill(CALM)]);
    const workers = [worker(market), worker(market, elsewhere)];
    const check = (now: number) => Promise.all(workers.map((resolve) => resolve(now)));
    const users = [ann];
    for (const [hour, step] of course.entries()) {
      if (step !== "down") await check(at(hour + 1));
      if (step !== "join") continue;
      const user = await createUser(database);
      await join(user, signal, at(hour + 1));
      users.push(user);
    }
    await check(at(20));
    await check(at(20, 70 * SECOND_MS));
    return { users, analysis: await database.marketAnalyses.findById(signal.analysisId).lean() };
  }

  it("is published once and in order in any market, with late signals, downtime and two workers", async () => {
    const candles = fc.array(bar, { minLength: 8, maxLength: 8 });
    const steps = fc.array(fc.constantFrom("check", "down", "join"), {
      minLength: 8,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(candles, price, steps, async (hours, last, course) => {
        await database.signals.deleteMany({});
        await database.events.deleteMany({});
        const { users, analysis } = await follow(hours, last, course);
        const fill = analysis?.resolution?.fill ?? null;
        expect(analysis?.filled?.price ?? null).toBe(fill);
        for (const user of users) await expectOrdered(user, { isFilled: fill !== null });
      }),
      { numRuns: 8 },
    );
  });
});
