import { MongoBackend } from "@agendajs/mongo-backend";
import {
  type Database,
  nativeCollection,
  nativeDb,
  openDatabase,
} from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import { GENERATE_SIGNAL_JOB, newAnalysisJob } from "@shared/domain/queue-analysis.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { findWaiting } from "@shared/work/item-locks.ts";
import { Agenda, Job } from "agenda";
import { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import packageJson from "../../../package.json";

const WAIT = { timeout: 10_000, interval: 20 };
const newIds = () => ({ _id: new Types.ObjectId(), userId: new Types.ObjectId() });
const position = () => ({ at: new Date(), unfinishedSignals: 0 });

/** What work items assume about Agenda. If an upgrade fails here, read `shared/work` before going on. */
describe("Agenda, as work items assume it to be,", () => {
  let database: Database;
  const opened: Agenda[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((agenda) => agenda.stop(false)));
    await database.jobs.deleteMany();
  });
  afterAll(() => database.close());

  const openAgenda = async (name: string) => {
    const mongo = nativeDb(database.connection);
    const backend = new MongoBackend({ mongo, collection: JOBS_COLLECTION, ensureIndex: false });
    const agenda = new Agenda({ name, backend, processEvery: 100 });
    opened.push(agenda);
    await agenda.ready;
    return agenda;
  };
  const storedJobs = () => nativeCollection(database.jobs).find().toArray();

  it("has exact versions in package.json", () => {
    const { agenda, agendash } = packageJson.dependencies;
    const backend = packageJson.dependencies["@agendajs/mongo-backend"];
    for (const version of [agenda, agendash, backend]) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("stores a job in the form of ours, but for the id", async () => {
    const agenda = await openAgenda("server");
    const { data } = newAnalysisJob(newIds(), position());
    await agenda.create(GENERATE_SIGNAL_JOB, data).priority("normal").schedule(new Date()).save();
    const [theirs] = await storedJobs();
    await database.jobs.deleteMany();
    await nativeCollection(database.jobs).insertOne(newAnalysisJob(newIds(), position()));
    const [ours] = await storedJobs();
    const typesOf = (job: object | undefined) =>
      Object.entries(job ?? {})
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([field, value]) => `${field}: ${value instanceof Date ? "date" : typeof value}`)
        .sort();
    expect(typesOf(ours)).toEqual(typesOf(theirs).filter((line) => !/^lastModifiedBy/.test(line)));
  });

  it("leaves jobs alone whose name it has no definition of", async () => {
    const agenda = await openAgenda("worker");
    let runs = 0;
    agenda.define("other", () => {
      runs += 1;
    });
    await nativeCollection(database.jobs).insertOne(newAnalysisJob(newIds(), position()));
    await agenda.start();
    await agenda.every("1 second", "other");
    await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(2), WAIT);
    expect(await storedJobs()).toContainEqual(
      expect.objectContaining({ name: GENERATE_SIGNAL_JOB, lockedAt: null, lastModifiedBy: null }),
    );
  });

  it.each([
    ["10 seconds", "2026-03-29T00:59:59.500Z", "2026-03-29T01:00:09.500Z"],
    ["0 3 * * *", "2026-03-29T03:00:00.000Z", "2026-03-30T03:00:00.000Z"],
    ["5 * * * * *", "2026-03-29T02:00:05.001Z", "2026-03-29T02:01:05.000Z"],
  ])("computes the next time of %j from the last one, in UTC", async (every, last, next) => {
    const agenda = await openAgenda("calendar");
    const params = { name: "a", type: "normal", priority: 0, data: {}, nextRunAt: null } as const;
    const nextOf = (interval: string) =>
      new Job(agenda, { ...params, lastRunAt: new Date(last) }).repeatEvery(interval, {
        timezone: "UTC",
      }).attrs.nextRunAt;
    expect(nextOf(every)).toEqual(new Date(next));
    expect(nextOf("now and then")).toBeNull();
  });

  it("marks a locked job with `lockedAt` and the worker's name in `lastModifiedBy`", async () => {
    const agenda = await openAgenda("worker-7");
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    agenda.define("locked", () => held);
    await agenda.now("locked");
    await agenda.start();
    await vi.waitFor(async () => {
      const [job] = await storedJobs();
      expect(job).toMatchObject({ lockedAt: expect.any(Date), lastModifiedBy: "worker-7" });
    }, WAIT);
    finish();
  });

  it("shows our jobs: waiting ones as queued, locked ones as running, paused ones as paused", async () => {
    const agenda = await openAgenda("server");
    const locked = { lockedAt: new Date(), lastModifiedBy: "worker" };
    await nativeCollection(database.jobs).insertMany([
      newAnalysisJob(newIds(), position()),
      { ...newAnalysisJob(newIds(), position()), ...locked },
      { ...newAnalysisJob(newIds(), position()), disabled: true },
    ]);
    const [overview] = await agenda.getJobsOverview();
    expect(overview).toMatchObject({ name: GENERATE_SIGNAL_JOB, total: 3, running: 1, paused: 1 });
  });

  it("is claimed from by an index that holds jobs in the order of their claims", async () => {
    await nativeCollection(database.jobs).insertMany(
      Array.from({ length: 300 }, () => newAnalysisJob(newIds(), position())),
    );
    const kind = { kind: GENERATE_SIGNAL_JOB, isTimed: false };
    expect(await findWaiting(database, kind, { running: [], limit: 5 })).toHaveLength(5);
    const plan = await nativeCollection(database.jobs)
      .find({ name: GENERATE_SIGNAL_JOB, lockedAt: null, nextRunAt: { $ne: null } })
      .sort({ priority: -1, nextRunAt: 1 })
      .limit(5)
      .explain("executionStats");
    const statsSchema = z.object({
      executionStats: z.object({ totalDocsExamined: z.number() }),
    });
    expect(statsSchema.parse(plan).executionStats.totalDocsExamined).toBeLessThanOrEqual(6);
    expect(JSON.stringify(plan)).toContain("claimNextJob");
  });
});
