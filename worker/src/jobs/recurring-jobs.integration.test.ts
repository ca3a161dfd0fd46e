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
    await worker.add({ name: "regular", every: "3 seconds", lockMs: 1_000, work });
    await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(1), WAIT);
    // Agenda locks a job ahead of its time: the lock expires while the job still waits.
    await vi.waitFor(async () => {
      const job = await database.jobs.findOne({ name: "regular" }).lean();
      expect(job?.lockedAt).toBeInstanceOf(Date);
      expect(job?.nextRunAt?.getTime()).toBeGreaterThan(Date.now());
    }, WAIT);
    const before = runs;
    suspendFor(4_000);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before + 1), WAIT);
  }, 60_000);

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
