import { type Database, openDatabase } from "@shared/database/database.ts";
import { newAnalysisJob } from "@shared/domain/queue-analysis.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { newWorkItem } from "@shared/work/work-item.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repairUnfinishedCounts, requeueStrandedSignals } from "./requeue-stranded-signals.ts";

const position = () => ({ at: new Date(), unfinishedSignals: 0 });

describe("the sweep", () => {
  let database: Database;
  const deps = () => ({
    database,
    logger: createLogger({ service: "test", level: "silent" }),
    now: () => new Date(),
  });
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  it("queues unfinished signals again whose job is missing, and no others", async () => {
    const user = await createUser(database);
    const [withJob] = await createSignals(database, user, { status: "running" });
    const stranded = [
      ...(await createSignals(database, user, { status: "queued" })),
      ...(await createSignals(database, user, { status: "running" })),
    ];
    await createSignals(database, user, { status: "completed" });
    const [checked] = await createSignals(database, user, { status: "running" });
    if (!withJob || !checked) throw new Error("there is no signal");
    const data = { analysisId: String(checked.analysisId) };
    const check = { kind: "check-entry", id: new Types.ObjectId(), data, dueAt: new Date() };
    await database.jobs.create(newWorkItem(check));
    const locked = {
      ...newAnalysisJob({ ...withJob, _id: withJob.analysisId }, position()),
      lockedAt: new Date(),
    };
    await database.jobs.create(locked);
    await requeueStrandedSignals(deps());
    const jobs = await database.jobs.find({ name: "generate-signal" }).lean();
    expect(jobs.map(({ _id }) => String(_id)).sort()).toEqual(
      [withJob, ...stranded].map(({ analysisId }) => String(analysisId)).sort(),
    );
    expect((await database.jobs.findById(withJob.analysisId).lean())?.lockedAt).toEqual(
      locked.lockedAt,
    );
  });

  it("corrects the numbers of unfinished signals that are wrong, too high or too low", async () => {
    const [high, low, right] = await Promise.all([
      createUser(database, { unfinishedSignals: 7 }),
      createUser(database),
      createUser(database),
    ]);
    await createSignals(database, low, { count: 2, status: "queued" });
    await createSignals(database, right, { count: 3, status: "running" });
    await database.users.updateOne({ _id: low._id }, { $set: { unfinishedSignals: 0 } });
    await repairUnfinishedCounts(deps());
    const countOf = async ({ _id }: typeof high) =>
      (await database.users.findById(_id).lean())?.unfinishedSignals;
    expect(await Promise.all([high, low, right].map(countOf))).toEqual([0, 2, 3]);
  });
});
