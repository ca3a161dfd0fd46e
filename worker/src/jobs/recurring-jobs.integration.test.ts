import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { RecurringJobs } from "./recurring-jobs.ts";

const WAIT = { timeout: 15_000, interval: 20 };
const logger = createLogger({ service: "test", level: "silent" });

/** Holds this process up, as if it had been suspended: no timer fires and no answer is read. */
function suspendFor(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

describe("recurring jobs", () => {
  let database: Database;
  const workers: RecurringJobs[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await database.jobs.deleteMany();
  });
  afterAll(() => database.close());

  const startWorker = async (workerId: string) => {
    const worker = new RecurringJobs({ database, logger, workerId });
    workers.push(worker);
    await worker.start();
    return worker;
  };

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
      const worker = await startWorker(workerId);
      await worker.add({ name: "exclusive", every: "1 second", lockMs: 10_000, work });
    }
    await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(3), WAIT);
    expect(most).toBe(1);
  });

  it("go on after the process was suspended for longer than their locks last", async () => {
    let runs = 0;
    const worker = await startWorker("suspended");
    const work = () => {
      runs += 1;
      return Promise.resolve();
    };
    await worker.add({ name: "regular", every: "1 second", lockMs: 1_000, work });
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
    /** The clock of this machine; the database has its own. */
    const setClock = (offMs: number) =>
      vi.useFakeTimers({ toFake: ["Date"], now: database.now().getTime() + offMs });
    const nextRunAfterMs = async (name: string) => {
      const job = await database.jobs.findOne({ name }).lean();
      return (job?.nextRunAt?.getTime() ?? 0) - database.now().getTime();
    };
    const addCounter = async (worker: RecurringJobs, name: string, every = "1 second") => {
      const counter = { runs: 0 };
      const work = async () => {
        counter.runs += 1;
      };
      await worker.add({ name, every, lockMs: 10_000, work });
      return counter;
    };

    it.each([-TEN_MINUTES_MS, TEN_MINUTES_MS])("run in time on them (%d ms)", async (offMs) => {
      setClock(offMs);
      const counter = await addCounter(await startWorker("off"), `own ${offMs}`);
      await vi.waitFor(() => expect(counter.runs).toBeGreaterThanOrEqual(3), WAIT);
      const job = await database.jobs.findOne({ name: `own ${offMs}` }).lean();
      for (const at of [job?.lastRunAt, job?.lastFinishedAt, job?.nextRunAt]) {
        const apartMs = (at?.getTime() ?? 0) - database.now().getTime();
        expect(Math.abs(apartMs)).toBeLessThan(TEN_MINUTES_MS / 10);
      }
    });

    it("go on at once on others when those have stopped", async () => {
      setClock(TEN_MINUTES_MS);
      const ahead = await startWorker("ahead");
      const first = await addCounter(ahead, "left");
      await vi.waitFor(() => expect(first.runs).toBeGreaterThanOrEqual(2), WAIT);
      await ahead.stop();
      vi.useRealTimers();
      expect(await nextRunAfterMs("left")).toBeLessThanOrEqual(1_000);
      const second = await addCounter(await startWorker("right"), "left");
      await vi.waitFor(() => expect(second.runs).toBeGreaterThanOrEqual(2), WAIT);
    });

    it("take over what a crashed worker left when its lock has expired, not before", async () => {
      const work = async () => undefined;
      await (await startWorker("first")).add({ name: "held", every: "1 second", lockMs: 1, work });
      await vi.waitFor(() => database.jobs.exists({ name: "held" }), WAIT);
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
      const lock = { lockedAt: database.now(), lastModifiedBy: "crashed" };
      await database.jobs.updateOne({ name: "held" }, { $set: lock });
      setClock(TEN_MINUTES_MS);
      const worker = await startWorker("ahead");
      const counter = { runs: 0 };
      const count = async () => {
        counter.runs += 1;
      };
      await worker.add({ name: "held", every: "1 second", lockMs: 3_000, work: count });
      await vi.waitFor(() => expect(counter.runs).toBeGreaterThanOrEqual(1), WAIT);
      expect(database.now().getTime() - lock.lockedAt.getTime()).toBeGreaterThanOrEqual(3_000);
    });

    it.each([-TEN_MINUTES_MS, TEN_MINUTES_MS])("keep their time of day (%d ms)", async (offMs) => {
      const minute = Math.floor(database.now().getTime() / 60_000 + 5) % 60;
      setClock(offMs);
      await addCounter(await startWorker("off"), `daily ${offMs}`, `${minute} * * * *`);
      const afterMs = await nextRunAfterMs(`daily ${offMs}`);
      expect(afterMs).toBeGreaterThan(3.9 * 60_000);
      expect(afterMs).toBeLessThanOrEqual(5 * 60_000);
    });

    it("are not skipped if they were due while no worker ran, and keep to a new schedule", async () => {
      const worker = await startWorker("late");
      await addCounter(worker, "nightly", "0 3 * * *");
      await database.jobs.updateOne({ name: "nightly" }, { $set: { nextRunAt: new Date(0) } });
      const counter = await addCounter(worker, "nightly", "0 3 * * *");
      await vi.waitFor(() => expect(counter.runs).toBe(1), WAIT);
      await addCounter(worker, "nightly", "2 minutes");
      const job = await database.jobs.findOne({ name: "nightly" }).lean();
      expect(job?.repeatInterval).toBe("2 minutes");
      expect(await database.jobs.countDocuments({ name: "nightly" })).toBe(1);
    });
  });

  it("end with their worker, which waits for what is running", async () => {
    const worker = await startWorker("stopping");
    let isAborted = false;
    const started = new Promise<void>((resolve) => {
      void worker.add({
        name: "long",
        every: "1 second",
        lockMs: 10_000,
        work: (abort) => {
          resolve();
          return new Promise((done) => {
            abort.addEventListener("abort", () => {
              isAborted = true;
              done();
            });
          });
        },
      });
    });
    await started;
    await worker.stop();
    expect(isAborted).toBe(true);
  });
});
