import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createSignals, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { addStandingItems } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { measurePerformanceJob } from "./job-definitions.ts";
import { recurringWork } from "./recurring-work.ts";

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
  const job = measurePerformanceJob({ database, logger, now: () => new Date() });
  const handlers = recurringWork({ database, logger }, [job]);
  await addStandingItems(database, handlers);
  const workers = ["one", "two"].map(
    (workerId) => new WorkQueue({ database, logger, workerId, handlers }),
  );
  for (const worker of workers) worker.start();
  await vi.waitFor(async () => {
    const day = await database.performanceDays.findOne({ series: "live|*|*|*|*|*" }).lean();
    expect(day?.tally.categories.win).toBe(3);
  }, WAIT);
  expect(await database.jobs.countDocuments({ name: "measure-performance" })).toBe(1);
  await Promise.all(workers.map((worker) => worker.stop({ drainMs: 0 })));
});
