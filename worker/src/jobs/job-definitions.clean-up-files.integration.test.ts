import { type Database, openDatabase } from "@shared/database/database.ts";
import { newFilename } from "@shared/domain/file-store.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { addStandingItems } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanUpFilesJob } from "./job-definitions.ts";
import { recurringWork } from "./recurring-work.ts";

const WAIT = { timeout: 10_000, interval: 20 };

describe("the nightly cleanup", () => {
  const logger = createLogger({ service: "test", level: "silent" });
  let database: Database;
  const workers: WorkQueue[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    const job = cleanUpFilesJob({ database, logger, now: () => new Date() });
    for (const workerId of ["one", "two"]) {
      const handlers = recurringWork({ database, logger }, [job]);
      await addStandingItems(database, handlers);
      const worker = new WorkQueue({ database, logger, workerId, handlers });
      workers.push(worker);
      worker.start();
    }
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop({ drainMs: 0 })));
    await database.close();
  });

  const jobs = () => database.jobs.find({ name: "clean-up-files" }).lean();

  it("is scheduled for 03:00 UTC, once for all workers", async () => {
    await vi.waitFor(async () => expect(await jobs()).toHaveLength(1), WAIT);
    const [job] = await jobs();
    expect(job?.nextRunAt?.toISOString()).toMatch(/T03:00:00\.000Z$/);
    expect(job?.nextRunAt?.getTime()).toBeGreaterThan(Date.now());
  });

  it("deletes the chart images that belong to no signal, and runs again the next night", async () => {
    await database.chartImages.create({
      userId: new Types.ObjectId(),
      username: "ann",
      signalId: new Types.ObjectId(),
      filename: newFilename("image/png"),
      contentType: "image/png",
      size: 1,
      createdAt: new Date(),
    });
    const name = "clean-up-files";
    await database.jobs.updateOne({ name }, { $set: { nextRunAt: new Date() } });
    await vi.waitFor(async () => expect(await database.chartImages.countDocuments()).toBe(0), WAIT);
    await vi.waitFor(async () => {
      const [job] = await jobs();
      expect(job?.lastFinishedAt).toBeInstanceOf(Date);
      expect(job?.nextRunAt?.toISOString()).toMatch(/T03:00:00\.000Z$/);
    }, WAIT);
  });
});
