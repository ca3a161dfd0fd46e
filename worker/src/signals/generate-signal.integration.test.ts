import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startDatabaseRelay, startFailingMongo } from "@shared/testing/failing-database.ts";
import { runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import type { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { handleAnalyses } from "./generate-signal.ts";
import { type AnalysisRun, finishOtherSignals, finishRun } from "./signal-lifecycle.ts";

const WITHIN = { timeout: 15_000, interval: 50 };
const SHORT_LOCK_MS = 1_000;
const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
const logger = createLogger({ service: "test", level: "silent" });

describe("a worker's queue", () => {
  const uri = testDatabaseUri();
  let database: Database;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri });
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    await database.jobs.deleteMany();
    await database.workerStatuses.deleteMany();
  });
  afterAll(() => database.close());

  const newUserId = async () => (await createUser(database, { approved: true }))._id;

  /** Queues a signal with an analysis of its own, as a server does. @returns the id of the analysis */
  const queueOne = async (userId: Types.ObjectId, on = database): Promise<string> => {
    const id = newSignalId();
    const options = { lockKeys: userStream(userId), groupCommit: true };
    const signal = await commit(on, options, (uow) =>
      queueSignal(on, uow, { id, userId, request }),
    );
    return String(signal.analysisId);
  };
  const queueMany = async (count: number): Promise<string[]> => {
    const userIds = await Promise.all(Array.from({ length: count }, newUserId));
    return Promise.all(userIds.map((userId) => queueOne(userId)));
  };

  /** A worker whose runs end when `finish` is called, or fail when their abort signal fires. */
  const startWorker = (
    options: { workerId?: string; concurrency?: number; lockMs?: number; on?: Database } = {},
  ) => {
    const { workerId = "one", concurrency = 50, lockMs = 20_000, on = database } = options;
    const started: string[] = [];
    const aborted: string[] = [];
    const finished = new Map<string, boolean>();
    const waiting: (() => void)[] = [];
    const run = async (analysis: AnalysisRun, abort: AbortSignal) => {
      const id = String(analysis._id);
      started.push(id);
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        abort.addEventListener("abort", () => {
          aborted.push(id);
          reject(abort.reason);
        });
      });
      finished.set(id, await finishRun(on, analysis, runResult()));
    };
    const reused: string[] = [];
    const reuse = async (analysisId: Types.ObjectId) => {
      reused.push(String(analysisId));
      await finishOtherSignals(on, analysisId);
    };
    const handlers = [handleAnalyses(on, concurrency, { run, reuse })];
    const queue = new WorkQueue({ database: on, logger, workerId, lockMs, handlers });
    queue.start();
    let isStopped = false;
    const stop = async (drainMs = 0) => {
      if (isStopped) return;
      isStopped = true;
      await queue.stop({ drainMs });
    };
    cleanUps.push(() => stop());
    const finishAll = () => {
      for (const resolve of waiting.splice(0)) resolve();
    };
    return {
      started,
      reused,
      aborted,
      finished,
      finishOne: () => waiting.shift()?.(),
      finishAll,
      stop,
    };
  };

  const reportActive = async (...ids: string[]) => {
    const base = { marketData: "live", analyst: "rules", concurrency: 50, providers: [] } as const;
    const now = new Date();
    await database.workerStatuses.insertMany(
      ids.map((_id) => ({ _id, ...base, startedAt: now, seenAt: now })),
    );
  };
  const jobOf = (id: string) => database.jobs.findById(id).lean();
  const revisionsOf = async (ids: string[]) => {
    const analyses = await database.marketAnalyses.find({ _id: { $in: ids } }).lean();
    return analyses.map(({ revision, status }) => `${status} ${revision}`);
  };
  const completedOnce = (ids: string[]) => ids.map(() => "completed 1");

  it("takes all signals, however they come, and leaves no job behind", async () => {
    const worker = startWorker();
    const userIds = await Promise.all(Array.from({ length: 10 }, newUserId));
    const ids = await Promise.all(
      userIds.flatMap((id) => [id, id, id]).map((userId) => queueOne(userId)),
    );
    await vi.waitFor(() => expect(worker.started.toSorted()).toEqual(ids.toSorted()), WITHIN);
    worker.finishAll();
    await vi.waitFor(async () => expect(await database.jobs.countDocuments()).toBe(0), WITHIN);
    expect(await revisionsOf(ids)).toEqual(completedOnce(ids));
  });

  it("takes one user's only signal before the second of another's many", async () => {
    const many = await newUserId();
    const single = await newUserId();
    const ofMany: string[] = [];
    for (const _ of Array(8)) ofMany.push(await queueOne(many));
    const late = await queueOne(single);
    const worker = startWorker({ concurrency: 1 });
    for (const count of Array(9).keys()) {
      await vi.waitFor(() => expect(worker.started).toHaveLength(count + 1), WITHIN);
      worker.finishOne();
    }
    expect(worker.started).toEqual([ofMany[0], late, ...ofMany.slice(1)]);
  });

  it("locks only as many jobs as it has slots", async () => {
    await queueMany(12);
    const worker = startWorker({ concurrency: 5 });
    const locked = () => database.jobs.countDocuments({ lockedAt: { $ne: null } });
    await vi.waitFor(() => expect(worker.started).toHaveLength(5), WITHIN);
    expect(await locked()).toBe(5);
    worker.finishOne();
    await vi.waitFor(() => expect(worker.started).toHaveLength(6), WITHIN);
    expect(await locked()).toBe(5);
  });

  it("starts a signal only when the lock of its job and its event are committed", async () => {
    const worker = startWorker();
    const [id = ""] = await queueMany(1);
    await vi.waitFor(() => expect(worker.started).toEqual([id]), WITHIN);
    const job = await jobOf(id);
    expect(job).toMatchObject({ lastModifiedBy: "one", lockedAt: expect.any(Date) });
    const signal = await database.signals.findOne({ analysisId: id }).lean();
    const started = { name: "signal:started", "data.signal_id": String(signal?._id) };
    expect(await database.events.exists(started)).not.toBeNull();
  });

  it("shares jobs evenly with another active worker, whichever looks first", async () => {
    await reportActive("one", "two");
    const first = startWorker({ workerId: "one" });
    await queueMany(20);
    await vi.waitFor(() => expect(first.started.length).toBeGreaterThanOrEqual(10), WITHIN);
    const second = startWorker({ workerId: "two" });
    await vi.waitFor(() => expect(first.started.length + second.started.length).toBe(20), WITHIN);
    expect(second.started.length).toBeGreaterThanOrEqual(5);
  });

  it("takes what an unresponsive worker leaves", async () => {
    await reportActive("one", "frozen");
    const worker = startWorker({ workerId: "one" });
    const ids = await queueMany(8);
    await vi.waitFor(() => expect(worker.started.toSorted()).toEqual(ids.toSorted()), WITHIN);
  });

  it("takes over the job of a crashed worker when its lock has expired, not before", async () => {
    const [id = ""] = await queueMany(1);
    const crashed = { lockedAt: new Date(), lastModifiedBy: "crashed" };
    await database.jobs.updateOne({ _id: id }, { $set: crashed });
    const worker = startWorker({ lockMs: SHORT_LOCK_MS });
    await vi.waitFor(() => expect(worker.started).toEqual([id]), WITHIN);
    const job = await jobOf(id);
    const heldMs = (job?.lockedAt?.getTime() ?? 0) - crashed.lockedAt.getTime();
    expect(heldMs).toBeGreaterThanOrEqual(SHORT_LOCK_MS);
  });

  it("lets a run that was taken over change nothing, and aborts it", async () => {
    const worker = startWorker({ lockMs: SHORT_LOCK_MS });
    const userId = await newUserId();
    const id = await queueOne(userId);
    await vi.waitFor(() => expect(worker.started).toEqual([id]), WITHIN);
    const lost = await database.marketAnalyses.findById(id).lean();
    if (!lost) throw new Error("there is no analysis");
    const newOwner = { lockedAt: new Date(Date.now() + 3_600_000), lastModifiedBy: "other" };
    await database.jobs.updateOne({ _id: id }, { $set: newOwner });
    const run = await startRun(database, { analysisId: lost._id, userId });
    await vi.waitFor(() => expect(worker.aborted).toEqual([id]), WITHIN);
    expect(await finishRun(database, lost, runResult("failed"))).toBe(false);
    await worker.stop();
    expect(await jobOf(id)).toMatchObject(newOwner);
    expect(run?.revision).toBe(2);
    expect(await revisionsOf([id])).toEqual(["running 2"]);
  });

  it("runs a signal once when the answer to its claim is lost after the commit", async () => {
    const mongo = await startFailingMongo();
    const lossy = await openDatabase({ uri: `${mongo.uri}&appName=${mongo.appName}` });
    cleanUps.push(async () => {
      await lossy.close();
      await mongo.stop();
    });
    const { _id: userId } = await createUser(lossy, { approved: true });
    const id = await queueOne(userId, lossy);
    await mongo.fail({ commands: ["commitTransaction"], times: 3, writeConcernErrorCode: 64 });
    const worker = startWorker({ on: lossy });
    await vi.waitFor(() => expect(worker.started).toEqual([id]), WITHIN);
    // Later claims found the lock of the first one, which no run had.
    const analysis = await lossy.marketAnalyses.findById(id).lean();
    expect(analysis?.revision).toBeGreaterThan(1);
    worker.finishAll();
    await vi.waitFor(() => expect(worker.finished.get(id)).toBe(true), WITHIN);
    expect(worker.started).toEqual([id]);
  }, 30_000);

  it("loses no job to another worker while the database hangs for longer than a lock lasts", async () => {
    const { relay, uri: through } = await startDatabaseRelay(uri);
    cleanUps.push(() => relay.cut());
    const one = await openDatabase({ uri: through });
    const two = await openDatabase({ uri: through });
    cleanUps.push(() => Promise.all([one.close(), two.close()]));
    // Long enough for a busy machine to renew in time.
    const lockMs = 4 * SHORT_LOCK_MS;
    await reportActive("one", "two");
    const workers = [
      startWorker({ workerId: "one", on: one, lockMs }),
      startWorker({ workerId: "two", on: two, lockMs }),
    ];
    const ids = await queueMany(12);
    const startedCount = () => workers.reduce((sum, { started }) => sum + started.length, 0);
    await vi.waitFor(() => expect(startedCount()).toBe(12), WITHIN);
    const frozenAt = performance.now();
    relay.freeze();
    await vi.waitFor(
      () => expect(performance.now() - frozenAt).toBeGreaterThan(1.5 * lockMs),
      WITHIN,
    );
    relay.thaw();
    const renewed = new Date();
    await vi.waitFor(async () => {
      const stale = await database.jobs.countDocuments({ lockedAt: { $lt: renewed } });
      expect(stale).toBe(0);
    }, WITHIN);
    for (const worker of workers) worker.finishAll();
    await vi.waitFor(
      async () => expect(await revisionsOf(ids)).toEqual(completedOnce(ids)),
      WITHIN,
    );
    expect(startedCount()).toBe(12);
  }, 60_000);

  it("times locks by the database's clock: a worker whose clock is ahead takes no running job", async () => {
    const owner = startWorker({ workerId: "owner" });
    const [id = ""] = await queueMany(1);
    await vi.waitFor(() => expect(owner.started).toEqual([id]), WITHIN);
    const before = await jobOf(id);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const ahead = startWorker({ workerId: "ahead", lockMs: SHORT_LOCK_MS * 20 });
    const [other = ""] = await queueMany(1);
    await vi.waitFor(() => expect([...owner.started, ...ahead.started]).toContain(other), WITHIN);
    const lockedAt = (await jobOf(other))?.lockedAt?.getTime() ?? 0;
    expect(Math.abs(lockedAt - (before?.lockedAt?.getTime() ?? 0))).toBeLessThan(60_000);
    expect(ahead.started).not.toContain(id);
  });

  it("hands back what it cannot finish when it stops, and takes none of it again", async () => {
    const worker = startWorker({ workerId: "stopping", concurrency: 3 });
    const ids = await queueMany(6);
    await vi.waitFor(() => expect(worker.started).toHaveLength(3), WITHIN);
    await worker.stop();
    expect(worker.aborted.toSorted()).toEqual(worker.started.toSorted());
    const jobs = await database.jobs.find({ _id: { $in: ids } }).lean();
    expect(jobs.map(({ lockedAt, lastModifiedBy }) => [lockedAt, lastModifiedBy])).toEqual(
      ids.map(() => [null, null]),
    );
    const next = startWorker({ workerId: "next" });
    await vi.waitFor(() => expect(next.started.toSorted()).toEqual(ids.toSorted()), WITHIN);
  });

  it("hands back a job that it locked without learning of it when it stops", async () => {
    const [id = ""] = await queueMany(1);
    const lockedUnaware = { lockedAt: new Date(), lastModifiedBy: "stopping" };
    await database.jobs.updateOne({ _id: id }, { $set: lockedUnaware });
    const worker = startWorker({ workerId: "stopping", concurrency: 0 });
    await worker.stop();
    expect(await jobOf(id)).toMatchObject({ lockedAt: null, lastModifiedBy: null });
  });

  it("stops in order though its jobs cannot be released", async () => {
    const { relay, uri: through } = await startDatabaseRelay(uri);
    const cutOff = await openDatabase({ uri: through });
    cleanUps.push(() => cutOff.close());
    const worker = startWorker({ on: cutOff });
    const [id = ""] = await queueMany(1);
    await vi.waitFor(() => expect(worker.started).toEqual([id]), WITHIN);
    await relay.cut();
    await worker.stop();
    expect(await jobOf(id)).toMatchObject({ lastModifiedBy: "one" });
  }, 30_000);

  it("deletes a second job of a signal without running it", async () => {
    const worker = startWorker({ concurrency: 1 });
    const [id = ""] = await queueMany(1);
    await vi.waitFor(() => expect(worker.started).toEqual([id]), WITHIN);
    const job = await jobOf(id);
    if (!job) throw new Error("there is no job");
    const copy = { ...job, _id: newSignalId(), lockedAt: null, lastModifiedBy: null };
    await database.jobs.create(copy);
    const other = startWorker({ workerId: "two" });
    await vi.waitFor(async () => expect(await jobOf(String(copy._id))).toBeNull(), WITHIN);
    expect(other.started).toEqual([]);
    expect(await revisionsOf([id])).toEqual(["running 1"]);
  });
});
