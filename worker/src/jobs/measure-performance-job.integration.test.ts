import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { openQueue } from "@shared/node/queue.ts";
import { judgedTrade } from "@shared/testing/judged-signals.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Agenda } from "agenda";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { defineMeasurePerformanceJob } from "./measure-performance-job.ts";

const WAIT = { timeout: 10_000, interval: 20 };
const logger = createLogger({ part: "test", level: "silent" });

let database: Database;
let queue: Agenda;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri("measure-job") });
  queue = await openQueue({ database, logger, workerId: "test" });
  await queue.start();
});
afterAll(async () => {
  await queue.stop();
  await database.close();
});

it("measures as soon as a worker starts, once for all workers, and ends when it stops", async () => {
  const at = new Date();
  const trade = judgedTrade({ outcome: "WIN", at, resolvedAt: at });
  await createSignals(database, { _id: new Types.ObjectId() }, { count: 3, ...trade });
  const deps = { database, logger, now: () => new Date() };
  const jobs = [
    await defineMeasurePerformanceJob(queue, deps),
    await defineMeasurePerformanceJob(queue, deps),
  ];
  await vi.waitFor(async () => {
    const day = await database.performanceDays.findOne({ series: "live|*|*|*|*" }).lean();
    expect(day?.tally.fates.win).toBe(3);
  }, WAIT);
  const scheduled = { name: "measure-performance" };
  expect(await database.connection.collection("agendaJobs").countDocuments(scheduled)).toBe(1);
  await Promise.all(jobs.map((job) => job.stop()));
});
