import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createSignals, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { measurePerformanceJob } from "./job-definitions.ts";
import { RecurringJobs } from "./recurring-jobs.ts";

const WAIT = { timeout: 10_000, interval: 20 };
const logger = createLogger({ service: "test", level: "silent" });

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterAll(() => database.close());

it("measures as soon as a worker starts, once for all workers, and ends when it stops", async () => {
  const at = new Date();
  const trade = resolvedTrade({ outcome: "WIN", at, resolvedAt: at });
  await createSignals(database, { _id: new Types.ObjectId() }, { count: 3, ...trade });
  const workers = ["one", "two"].map(
    (workerId) => new RecurringJobs({ database, logger, workerId }),
  );
  for (const worker of workers) {
    await worker.start();
    await worker.add(measurePerformanceJob({ database, logger, now: () => new Date() }));
  }
  await vi.waitFor(async () => {
    const day = await database.performanceDays.findOne({ series: "live|*|*|*|*|*" }).lean();
    expect(day?.tally.categories.win).toBe(3);
  }, WAIT);
  expect(await database.jobs.countDocuments({ name: "measure-performance" })).toBe(1);
  await Promise.all(workers.map((worker) => worker.stop()));
});
