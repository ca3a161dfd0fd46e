import { type Database, nativeCollection, openDatabase } from "@shared/database/database.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { findDueKinds, findWaiting, finishWork, WorkLostError } from "./item-locks.ts";
import {
  addStandingItems,
  doubling,
  oneByOne,
  repeatedly,
  ServiceAwayError,
  type WorkItem,
} from "./work-handler.ts";
import { addWork, newWorkItem, workId } from "./work-item.ts";
import { WorkQueue } from "./work-queue.ts";

const WITHIN = { timeout: 15_000, interval: 20 };
const KIND = "try-out";
const logger = createLogger({ service: "test", level: "silent" });
const keySchema = z.object({ key: z.string() });
const keyOf = ({ data }: Pick<WorkItem, "data">) => keySchema.parse(data).key;

describe("work items", () => {
  let database: Database;
  const queues: WorkQueue[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop({ drainMs: 0 })));
    await database.jobs.deleteMany();
  });
  afterAll(() => database.close());

  const add = (key: string, { dueAt = database.now(), priority = 0, kind = KIND } = {}) =>
    commit(database, { lockKeys: key }, (uow) => {
      addWork(database, uow, { kind, id: workId(kind, key), data: { key }, dueAt, priority });
    });
  const stored = (key: string, kind = KIND) => database.jobs.findById(workId(kind, key)).lean();
  const startQueue = (
    run: (item: WorkItem, abort: AbortSignal) => Promise<void>,
    options: { workerId?: string; concurrency?: number; lockMs?: number; retryMs?: number } = {},
  ) => {
    const { workerId = "one", concurrency = 10, lockMs = 20_000, retryMs = 100 } = options;
    const retryDelayMs = doubling({ first: retryMs, max: 4 * retryMs });
    const handler = oneByOne({ database, logger }, { kind: KIND, concurrency, retryDelayMs, run });
    const queue = new WorkQueue({ database, logger, workerId, lockMs, handlers: [handler] });
    queues.push(queue);
    queue.start();
    return queue;
  };
  const isEmpty = async () => expect(await database.jobs.countDocuments({ name: KIND })).toBe(0);

  it("are done once by workers that share them, and deleted", async () => {
    const done: string[] = [];
    const run = async (item: WorkItem) => void done.push(keyOf(item));
    startQueue(run, { workerId: "one" });
    startQueue(run, { workerId: "two" });
    const keys = Array.from({ length: 60 }, (_, index) => `item ${index}`);
    await Promise.all(keys.map((key) => add(key)));
    await vi.waitFor(isEmpty, WITHIN);
    expect(done.toSorted()).toEqual(keys.toSorted());
  });

  it("are done in the order of their priority, then of their due times", async () => {
    const done: string[] = [];
    const at = database.now().getTime();
    await add("late", { dueAt: new Date(at - 1_000) });
    await add("early", { dueAt: new Date(at - 2_000) });
    await add("urgent", { dueAt: new Date(at - 500), priority: 1 });
    startQueue(async (item) => void done.push(keyOf(item)), { concurrency: 1 });
    await vi.waitFor(isEmpty, WITHIN);
    expect(done).toEqual(["urgent", "early", "late"]);
  });

  it("are done at their time, neither before nor at the next look", async () => {
    let offMs: number | undefined;
    startQueue(async ({ dueAt }) => {
      offMs = database.now().getTime() - dueAt.getTime();
    });
    await add("later", { dueAt: new Date(database.now().getTime() + 1_500) });
    await vi.waitFor(() => expect(offMs).toBeDefined(), WITHIN);
    expect(offMs).toBeGreaterThanOrEqual(-1);
    expect(offMs).toBeLessThan(500);
  });

  it("that fail are tried again, less and less often, and delay no other", async () => {
    const attempts: number[] = [];
    const done: string[] = [];
    startQueue(
      async (item) => {
        if (keyOf(item) !== "refused") return void done.push(keyOf(item));
        attempts.push(performance.now());
        if (attempts.length < 3) throw new Error("refused");
      },
      { concurrency: 1, retryMs: 1_000 },
    );
    await add("refused");
    await vi.waitFor(async () => expect((await stored("refused"))?.failCount).toBe(1), WITHIN);
    expect(await stored("refused")).toMatchObject({ failReason: "refused", lockedAt: null });
    await add("other");
    await vi.waitFor(() => expect(done).toEqual(["other"]), WITHIN);
    expect(attempts).toHaveLength(1);
    await vi.waitFor(isEmpty, WITHIN);
    const [first = 0, second = 0, third = 0] = attempts;
    expect(second - first).toBeGreaterThanOrEqual(950);
    expect(third - second).toBeGreaterThanOrEqual(1_950);
  });

  it("are left alone while a service is away, and count no failure", async () => {
    let attempts = 0;
    startQueue(
      async () => {
        attempts += 1;
        throw new ServiceAwayError("no service");
      },
      { concurrency: 1, retryMs: 1 },
    );
    await add("first");
    await vi.waitFor(
      async () => expect(await stored("first")).toMatchObject({ failCount: 0 }),
      WITHIN,
    );
    await add("second");
    const lookedAt = performance.now();
    await vi.waitFor(() => expect(performance.now() - lookedAt).toBeGreaterThan(2_500), WITHIN);
    expect(attempts).toBe(1);
    const dueInMs = Number((await stored("first"))?.nextRunAt) - database.now().getTime();
    expect(dueInMs).toBeGreaterThan(5_000);
  });

  it("of a crashed worker are taken over when its lock has expired", async () => {
    await add("stranded");
    const crashed = { lockedAt: database.now(), lastModifiedBy: "crashed" };
    await database.jobs.updateOne({ _id: workId(KIND, "stranded") }, { $set: crashed });
    let startedAt = 0;
    startQueue(
      async () => {
        startedAt = database.now().getTime();
      },
      { lockMs: 1_000 },
    );
    await vi.waitFor(isEmpty, WITHIN);
    expect(startedAt - crashed.lockedAt.getTime()).toBeGreaterThanOrEqual(1_000);
  });

  it("change nothing when they are taken over before their last write", async () => {
    const outcomes: unknown[] = [];
    let isStarted = false;
    startQueue(
      async (item, abort) => {
        isStarted = true;
        await new Promise((resolve) => abort.addEventListener("abort", resolve));
        const finish = commit(database, { lockKeys: "own" }, ({ session }) =>
          finishWork(database, session, item),
        );
        await finish.catch((error: unknown) => outcomes.push(error));
      },
      { lockMs: 1_000 },
    );
    await add("lost");
    await vi.waitFor(() => expect(isStarted).toBe(true), WITHIN);
    const other = { lockedAt: new Date(Date.now() + 3_600_000), lastModifiedBy: "other" };
    await database.jobs.updateOne({ _id: workId(KIND, "lost") }, { $set: other });
    await vi.waitFor(() => expect(outcomes).toEqual([expect.any(WorkLostError)]), WITHIN);
    expect(await stored("lost")).toMatchObject(other);
  });

  it("that a stopping worker cannot finish are returned at once", async () => {
    let isStarted = false;
    const queue = startQueue(async (_, abort) => {
      isStarted = true;
      await new Promise((_resolve, reject) =>
        abort.addEventListener("abort", () => reject(abort.reason)),
      );
    });
    await add("long");
    await vi.waitFor(() => expect(isStarted).toBe(true), WITHIN);
    await queue.stop({ drainMs: 0 });
    expect(await stored("long")).toMatchObject({ lockedAt: null, failCount: null });
  });

  it("that are always there are repeated when they say, by one worker at a time", async () => {
    const runs: { by: string; atMs: number }[] = [];
    let running = 0;
    for (const workerId of ["one", "two"]) {
      const handler = repeatedly(
        { database, logger },
        {
          kind: KIND,
          retryDelayMs: () => 100,
          async run() {
            running += 1;
            expect(running).toBe(1);
            runs.push({ by: workerId, atMs: performance.now() });
            running -= 1;
            return new Date(database.now().getTime() + 300);
          },
        },
      );
      await addStandingItems(database, [handler]);
      const queue = new WorkQueue({ database, logger, workerId, handlers: [handler] });
      queues.push(queue);
      queue.start();
    }
    await vi.waitFor(() => expect(runs.length).toBeGreaterThanOrEqual(5), WITHIN);
    expect(await database.jobs.countDocuments({ name: KIND })).toBe(1);
    const gaps = runs.slice(1).map(({ atMs }, index) => atMs - (runs[index]?.atMs ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(290);
    expect(Math.min(...gaps)).toBeLessThan(900);
  });

  it("that are always there are done once more if an administrator queues a copy, which is deleted", async () => {
    const handler = repeatedly(
      { database, logger },
      {
        kind: KIND,
        retryDelayMs: () => 100,
        run: async () => new Date(database.now().getTime() + 3_600_000),
      },
    );
    await addStandingItems(database, [handler]);
    const copy = newWorkItem({
      kind: KIND,
      id: new Types.ObjectId(),
      data: {},
      dueAt: new Date(0),
    });
    await database.jobs.create(copy);
    const queue = new WorkQueue({ database, logger, workerId: "one", handlers: [handler] });
    queues.push(queue);
    queue.start();
    await vi.waitFor(async () => {
      const [item, ...others] = await database.jobs.find({ name: KIND }).lean();
      expect(others).toEqual([]);
      expect(item).toMatchObject({ _id: workId(KIND, ""), lastFinishedAt: expect.any(Date) });
    }, WITHIN);
  });

  it("that are always there are done once more if they are made due while they are done", async () => {
    let runs = 0;
    const handler = repeatedly(
      { database, logger },
      {
        kind: KIND,
        retryDelayMs: () => 100,
        async run() {
          runs += 1;
          if (runs === 1) {
            await database.jobs.updateOne({ name: KIND }, { nextRunAt: database.now() });
          }
          return new Date(database.now().getTime() + 3_600_000);
        },
      },
    );
    await addStandingItems(database, [handler]);
    const queue = new WorkQueue({ database, logger, workerId: "one", handlers: [handler] });
    queues.push(queue);
    queue.start();
    await vi.waitFor(async () => {
      const item = await stored("");
      expect(Number(item?.nextRunAt)).toBeGreaterThan(database.now().getTime() + 3_000_000);
    }, WITHIN);
    expect(runs).toBe(2);
  });

  it("that are always there end at once when their worker stops, and are due for others", async () => {
    let isStarted = false;
    const handler = repeatedly(
      { database, logger },
      {
        kind: KIND,
        retryDelayMs: () => 100,
        async run(abort) {
          isStarted = true;
          await new Promise((resolve) => abort.addEventListener("abort", resolve));
          return new Date(database.now().getTime() + 3_600_000);
        },
      },
    );
    await addStandingItems(database, [handler]);
    const queue = new WorkQueue({ database, logger, workerId: "one", handlers: [handler] });
    queue.start();
    await vi.waitFor(() => expect(isStarted).toBe(true), WITHIN);
    await queue.stop({ drainMs: 600_000 });
    const item = await stored("");
    expect(item?.lockedAt).toBeNull();
    expect(Number(item?.nextRunAt)).toBeLessThanOrEqual(database.now().getTime());
  });

  it("that are paused wait, as do those of kinds without a handler", async () => {
    await Promise.all([add("paused"), add("unknown", { kind: "other" })]);
    await database.jobs.updateOne({ _id: workId(KIND, "paused") }, { $set: { disabled: true } });
    const done: string[] = [];
    startQueue(async (item) => void done.push(keyOf(item)));
    await add("plain");
    await vi.waitFor(() => expect(done).toEqual(["plain"]), WITHIN);
    expect(await database.jobs.countDocuments({ lockedAt: null })).toBe(2);
  });

  it("that are due are found by an index, however many are due later", async () => {
    const tomorrow = new Date(database.now().getTime() + 86_400_000);
    const item = (dueAt: Date) =>
      newWorkItem({ kind: KIND, id: new Types.ObjectId(), data: {}, dueAt });
    const later = Array.from({ length: 500 }, () => item(tomorrow));
    await nativeCollection(database.jobs).insertMany([...later, item(database.now())]);
    const db = database.connection.getClient().db(database.connection.name);
    const profileSchema = z.array(z.object({ docsExamined: z.number() }));
    await db.command({ profile: 2 });
    const kind = { kind: KIND, isTimed: true };
    expect(await findWaiting(database, kind, { running: [], limit: 200 })).toHaveLength(1);
    expect(await findDueKinds(database, [kind], { workerId: "one", lockMs: 1 })).toEqual([KIND]);
    await db.command({ profile: 0 });
    const looks = await db
      .collection("system.profile")
      .find({ ns: `${database.connection.name}.agendaJobs` })
      .toArray();
    expect(looks).toHaveLength(2);
    for (const { docsExamined } of profileSchema.parse(looks)) expect(docsExamined).toBeLessThan(5);
  });
});
