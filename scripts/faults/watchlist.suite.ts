import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAX_USERS } from "../../worker/src/signals/fan-out.ts";
import { copyUsers } from "../bench/start-product.ts";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, promptKey, startHarness } from "./harness/harness.ts";
import { holdCommand } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

/** Its closes are never far. */
const TIMEFRAME = "1m";
const LENGTH_MS = TIMEFRAME_MS[TIMEFRAME];
const MARKET = { symbol: "BTC/USDT", timeframe: TIMEFRAME, limit: 50 } as const;
const WATCHED = { WATCH_MIN_TIMEFRAME: TIMEFRAME };
/** Three batches. */
const WATCHERS = 2 * MAX_USERS + 50;
const BATCHES = 3;
const ONLINE = 3;
const SERVED_WITHIN_MS = 120_000;
/** Each batch reads its items first. */
const BATCH = { command: "find", collection: "watchlist_items" } as const;
/** Before the close, everybody watches the market. */
const SETUP_MS = 5_000;

/** Approved users who watch the market, some of them with a socket. */
async function addWatchers(harness: FaultHarness): Promise<UserRecord["_id"][]> {
  const { database, servers } = harness;
  const copies = copyUsers(await createUser(database, { approved: true }), WATCHERS - ONLINE);
  await database.users.collection.insertMany(copies);
  const ids = copies.map(({ _id }) => _id);
  for (let index = 0; index < ONLINE; index += 1) {
    const trader = await harness.signUp();
    await trader.connect(servers.b);
    ids.push(new Types.ObjectId(trader.userId));
  }
  return ids;
}

/** All users watch the market at its next close, and none afterwards. */
async function closeWatched(
  { database }: FaultHarness,
  watchers: readonly UserRecord["_id"][],
): Promise<Date> {
  const isInTime = () => Date.now() % LENGTH_MS < LENGTH_MS - SETUP_MS;
  await until(isInTime, { what: "the start of a candle" });
  const candleClosedAt = new Date(lastCandleClose(TIMEFRAME, new Date()).getTime() + LENGTH_MS);
  const { _id: _none, ...item } = await createWatchlistItem(
    database,
    { _id: new Types.ObjectId() },
    // Later than the close before it, which may not be planned yet.
    { ...MARKET, createdAt: new Date(candleClosedAt.getTime() - 1) },
  );
  await database.watchlistItems.deleteMany();
  await database.watchlistItems.collection.insertMany(
    watchers.map((userId) => ({ ...item, _id: new Types.ObjectId(), userId })),
  );
  const isPlanned = () => database.scheduledAnalyses.exists({ candleClosedAt });
  await until(isPlanned, { what: "the plan of the close", withinMs: 2 * LENGTH_MS });
  // The next closes are not planned, so that they do not mix with this one.
  const plannedUntil = new Date(Date.now() + 60 * LENGTH_MS);
  await database.watchSchedules.updateOne({ _id: TIMEFRAME }, { plannedUntil });
  return candleClosedAt;
}

/** Each watcher gets one signal of the close, and the AI was asked once. */
async function expectServed(
  { database, aiCalls }: FaultHarness,
  { candleClosedAt, watchers }: { candleClosedAt: Date; watchers: readonly UserRecord["_id"][] },
): Promise<void> {
  const { marketAnalyses, signals } = database;
  const isServed = () =>
    marketAnalyses
      .findOne({ ...MARKET, candleClosedAt, status: "completed", fanOut: { $exists: false } })
      .lean();
  const wait = { what: "all signals", withinMs: SERVED_WITHIN_MS };
  const { _id: analysisId, result } = await until(isServed, wait);
  expect(result?.analysis.final_signal).toBe("BUY");
  const made = await signals.find({ analysisId }).select({ userId: 1, origin: 1 }).lean();
  expect(made.map(({ userId }) => String(userId)).toSorted()).toEqual(
    watchers.map(String).toSorted(),
  );
  expect(new Set(made.map(({ origin }) => origin))).toEqual(new Set(["watchlist"]));
  expect(aiCalls.filter((call) => call === promptKey(MARKET))).toHaveLength(1);
  aiCalls.length = 0;
}

describe("every watcher gets exactly one signal", () => {
  let harness: FaultHarness;
  let watchers: UserRecord["_id"][];
  const restarts: Promise<void>[] = [];

  beforeAll(async () => {
    harness = await startHarness({ members: 3, workerEnv: { a: WATCHED, b: WATCHED } });
    watchers = await addWatchers(harness);
  });
  afterEach(async () => {
    await Promise.all(restarts.splice(0));
    await harness.database.watchSchedules.deleteOne({ _id: TIMEFRAME });
    await assertInvariants(harness);
  });
  afterAll(() => harness.close());

  it("when a worker is killed before the first batch and after each one but the last", async () => {
    const { mongo, workers } = harness;
    const primary = await mongo.primary();
    let point = await holdCommand(primary, BATCH);
    const candleClosedAt = await closeWatched(harness, watchers);
    for (let batch = 1; batch <= BATCHES; batch += 1) {
      const client = await point.entered();
      const worker = Object.values(workers).find(({ name }) => name === client);
      if (!worker) throw new Error(`${client} sent the command, which is no worker`);
      await worker.kill();
      restarts.push(worker.start());
      await point.release();
      // The one that continues makes a batch, and is killed when it begins the next one.
      if (batch < BATCHES) point = await holdCommand(primary, { ...BATCH, skip: 1 });
    }
    await expectServed(harness, { candleClosedAt, watchers });
  });

  it("when the database steps down between two batches", async () => {
    const primary = await harness.mongo.primary();
    const point = await holdCommand(primary, { ...BATCH, skip: 1 });
    const candleClosedAt = await closeWatched(harness, watchers);
    await point.entered();
    await primary.stepDown();
    await point.release();
    await harness.mongo.primary(primary);
    await expectServed(harness, { candleClosedAt, watchers });
  });
});

describe("with the clock of one of two workers a minute ahead", () => {
  let harness: FaultHarness;
  beforeAll(async () => {
    const shiftedClock = {
      NODE_OPTIONS: `--import ${new URL("harness/shift-clock.mjs", import.meta.url)}`,
      CLOCK_AHEAD_MS: "60000",
    };
    harness = await startHarness({ workerEnv: { a: WATCHED, b: { ...WATCHED, ...shiftedClock } } });
  });
  afterAll(() => harness.close());

  it("every watcher gets exactly one signal of each close", async () => {
    const watchers = await addWatchers(harness);
    for (const _close of [1, 2]) {
      const candleClosedAt = await closeWatched(harness, watchers);
      await expectServed(harness, { candleClosedAt, watchers });
      await harness.database.watchSchedules.deleteOne({ _id: TIMEFRAME });
    }
    await assertInvariants(harness);
  });
});
