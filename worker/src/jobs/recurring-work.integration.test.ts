import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { addStandingItems } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type RecurringJob, recurringWork, runAtStart } from "./recurring-work.ts";

const WAIT = { timeout: 15_000, interval: 20 };
const logger = createLogger({ service: "test", level: "silent" });

/** Holds this process up, as if it had been suspended: no timer fires and no answer is read. */
function suspendFor(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

describe("recurring jobs", () => {
  let database: Database;
  const workers: WorkQueue[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop({ drainMs: 0 })));
    await database.jobs.deleteMany();
  });
  afterAll(() => database.close());

  const startWorker = async (workerId: string, job: RecurringJob, lockMs = 20_000) => {
    const handlers = recurringWork({ database, logger }, [job]);
    await addStandingItems(database, handlers);
    const worker = new WorkQueue({ database, logger, workerId, handlers, lockMs });
    workers.push(worker);
    worker.start();
    return worker;
  };
  const stored = (name: string) => database.jobs.findOne({ name }).lean();

  it("run by one of several workers at a time", async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 50));
      running -= 1;
      runs += 1;
    };
    for (const workerId of ["one", "two"]) {
      await startWorker(workerId, { name: "exclusive", every: "1 second", work });
    }
    await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(3), WAIT);
    expect(most).toBe(1);
  });

  it("go on after the process was suspended for longer than their locks last", async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
    };
    await startWorker("suspended", { name: "regular", every: "1 second", work }, 1_000);
    await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(1), WAIT);
    const before = runs;
    suspendFor(4_000);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before + 1), WAIT);
  }, 60_000);

  describe("of workers whose clocks are ten minutes off", () => {
    const TEN_MINUTES_MS = 600_000;
    afterEach(() => {
      vi.useRealTimers();
    });
    interface CounterOptions {
      every?: string;
      lockMs?: number;
    }
    /** The clock of this machine; the database has its own. */
    const setClock = (offMs: number) =>
      vi.useFakeTimers({ toFake: ["Date"], now: database.now().getTime() + offMs });
    const nextRunAfterMs = async (name: string) => {
      const job = await stored(name);
      return (job?.nextRunAt?.getTime() ?? 0) - database.now().getTime();
    };
    const startCounter = async (workerId: string, name: string, options: CounterOptions = {}) => {
      const { every = "1 second", lockMs } = options;
      const counter = { runs: 0 };
      const work = async () => {
        counter.runs += 1;
      };
      const worker = await startWorker(workerId, { name, every, work }, lockMs);
      return { counter, worker };
    };

    it.each([-TEN_MINUTES_MS, TEN_MINUTES_MS])("run in time on them (%d ms)", async (offMs) => {
      setClock(offMs);
      const { counter } = await startCounter("off", `own ${offMs}`);
      await vi.waitFor(() => expect(counter.runs).toBeGreaterThanOrEqual(3), WAIT);
      const job = await stored(`own ${offMs}`);
      for (const at of [job?.lastRunAt, job?.lastFinishedAt, job?.nextRunAt]) {
        const apartMs = (at?.getTime() ?? 0) - database.now().getTime();
        expect(Math.abs(apartMs)).toBeLessThan(TEN_MINUTES_MS / 10);
      }
    });

    it("go on at once on others when those have stopped", async () => {
      setClock(TEN_MINUTES_MS);
      const ahead = await startCounter("ahead", "left");
      await vi.waitFor(() => expect(ahead.counter.runs).toBeGreaterThanOrEqual(2), WAIT);
      await ahead.worker.stop({ drainMs: 0 });
      vi.useRealTimers();
      expect(await nextRunAfterMs("left")).toBeLessThanOrEqual(1_000);
      const { counter } = await startCounter("right", "left");
      await vi.waitFor(() => expect(counter.runs).toBeGreaterThanOrEqual(2), WAIT);
    });

    it("take over what a crashed worker left when its lock has expired, not before", async () => {
      const first = await startCounter("first", "held");
      await first.worker.stop({ drainMs: 0 });
      const lock = { lockedAt: database.now(), lastModifiedBy: "crashed" };
      await database.jobs.updateOne({ name: "held" }, { $set: lock });
      setClock(TEN_MINUTES_MS);
      const { counter } = await startCounter("ahead", "held", { lockMs: 3_000 });
      await vi.waitFor(() => expect(counter.runs).toBeGreaterThanOrEqual(1), WAIT);
      expect(database.now().getTime() - lock.lockedAt.getTime()).toBeGreaterThanOrEqual(3_000);
    });

    it.each([-TEN_MINUTES_MS, TEN_MINUTES_MS])("keep their time of day (%d ms)", async (offMs) => {
      const minute = Math.floor(database.now().getTime() / 60_000 + 5) % 60;
      setClock(offMs);
      await startCounter("off", `daily ${offMs}`, { every: `${minute} * * * *` });
      const afterMs = await nextRunAfterMs(`daily ${offMs}`);
      expect(afterMs).toBeGreaterThan(3.9 * 60_000);
      expect(afterMs).toBeLessThanOrEqual(5 * 60_000);
    });

    it("are not skipped if they were due while no worker ran, and keep to a new schedule", async () => {
      const every = "0 3 * * *";
      const early = await startCounter("early", "nightly", { every });
      await early.worker.stop({ drainMs: 0 });
      expect(early.counter.runs).toBe(0);
      await database.jobs.updateOne({ name: "nightly" }, { $set: { nextRunAt: new Date(0) } });
      const { counter } = await startCounter("late", "nightly", { every });
      await vi.waitFor(() => expect(counter.runs).toBe(1), WAIT);
      await startCounter("new", "nightly", { every: "2 minutes" });
      expect((await stored("nightly"))?.repeatInterval).toBe("2 minutes");
      expect(await database.jobs.countDocuments({ name: "nightly" })).toBe(1);
    });
  });

  it("end with their worker, which waits for what is running", async () => {
    let isAborted = false;
    let worker: WorkQueue | undefined;
    await new Promise<void>((resolve) => {
      const work = async (abort: AbortSignal) => {
        resolve();
        await new Promise((done) => abort.addEventListener("abort", done));
        isAborted = true;
      };
      void startWorker("stopping", { name: "long", every: "1 second", work }).then((started) => {
        worker = started;
      });
    });
    await worker?.stop({ drainMs: 600_000 });
    expect(isAborted).toBe(true);
  });

  it("that fail are shown with the reason, and tried again at their time or before", async () => {
    const failing = async (name: string, every: string) => {
      const work = async () => {
        throw new Error("no reply");
      };
      await startWorker(name, { name, every, work });
      await database.jobs.updateOne({ name }, { $set: { nextRunAt: database.now() } });
      await vi.waitFor(async () => expect((await stored(name))?.failCount).toBe(1), WAIT);
      const { nextRunAt, failedAt, failReason } = (await stored(name)) ?? {};
      expect(failReason).toBe("no reply");
      return Number(nextRunAt) - Number(failedAt);
    };
    expect(await failing("often", "4 seconds")).toBeLessThanOrEqual(4_000);
    expect(await failing("nightly", "0 3 * * *")).toBeLessThanOrEqual(5_000);
  });

  it("that run at the start of each worker do so although another one has the item", async () => {
    const started: string[] = [];
    const work = async () => {
      started.push("job");
    };
    const job = { name: "first", every: "0 3 * * *", work };
    const others = { ...job, name: "other", runsAtStart: true };
    await Promise.all([1, 2].map(() => runAtStart({ logger }, [job, others]).stop()));
    expect(started).toHaveLength(2);
  });
});
