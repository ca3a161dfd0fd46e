import { type Database, openDatabase } from "@shared/node/database.ts";
import { newFilename } from "@shared/node/files/file-kinds.ts";
import { createLogger } from "@shared/node/logger.ts";
import { openQueue } from "@shared/node/queue.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Agenda } from "agenda";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CLEAN_UP_FILES_JOB, defineCleanUpFilesJob } from "./clean-up-files-job.ts";

const WAIT = { timeout: 10_000, interval: 20 };

describe("the nightly cleanup", () => {
  const logger = createLogger({ part: "test", level: "silent" });
  let database: Database;
  let queue: Agenda;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri("cleanup-job") });
    queue = await openQueue({ database, logger, workerId: "test" });
    await queue.start();
  });
  afterAll(async () => {
    await queue.stop();
    await database.close();
  });

  const jobs = () =>
    database.connection.collection("agendaJobs").find({ name: CLEAN_UP_FILES_JOB }).toArray();

  it("is scheduled for 03:00 UTC, once for all workers", async () => {
    const deps = { database, logger, now: () => new Date() };
    await defineCleanUpFilesJob(queue, deps);
    await defineCleanUpFilesJob(queue, deps);
    await vi.waitFor(async () => expect(await jobs()).toHaveLength(1), WAIT);
    const [job] = await jobs();
    const nextRunAt = new Date(job?.nextRunAt);
    expect(nextRunAt.toISOString()).toMatch(/T03:00:00\.000Z$/);
    expect(nextRunAt.getTime()).toBeGreaterThan(Date.now());
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
    const collection = database.connection.collection("agendaJobs");
    await collection.updateOne({ name: CLEAN_UP_FILES_JOB }, { $set: { nextRunAt: new Date() } });
    await vi.waitFor(async () => expect(await database.chartImages.countDocuments()).toBe(0), WAIT);
    await vi.waitFor(async () => {
      const [job] = await jobs();
      expect(job?.lastFinishedAt).toBeInstanceOf(Date);
      expect(new Date(job?.nextRunAt).toISOString()).toMatch(/T03:00:00\.000Z$/);
    }, WAIT);
  });
});
