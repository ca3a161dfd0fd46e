import { signalRequestSchema } from "@shared/contract/signal.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Agenda } from "agenda";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "../database.ts";
import { commitChange } from "../event-log.ts";
import { createLogger } from "../logger.ts";
import { openQueue } from "../queue.ts";
import { newSignalId, queueSignal } from "../signals/signal-transitions.ts";
import { userStream } from "../streams.ts";
import { addSignalJob } from "./add-signal-job.ts";
import { LATEST } from "./claim-jobs.ts";
import { GENERATE_SIGNAL_JOB, JOBS_COLLECTION, readSignalJob } from "./signal-job.ts";

const WITHIN = { timeout: 10_000, interval: 20 };
const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
const logger = createLogger({ part: "test", level: "silent" });

describe("signals that wait for a worker", () => {
  let database: Database;
  const queues: Agenda[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop(false)));
    await database.connection.collection(JOBS_COLLECTION).deleteMany();
  });
  afterAll(async () => {
    await database.close();
  });

  const newUserId = async () => (await createUser(database, { approved: true }))._id;

  /** Queues a signal as a server does. */
  const ask = async (userId: Awaited<ReturnType<typeof newUserId>>) => {
    const id = newSignalId();
    const options = { serializeOn: userStream(userId), isPooled: true };
    await commitChange(database, options, async (change) => {
      const signal = queueSignal(database, change, { id, userId, request });
      await addSignalJob(database, change, { signal, assertRoom: () => undefined });
    });
    return String(id);
  };

  /** A worker's queue that notes what it begins; each job takes until `release` is called. */
  const startWorker = async (concurrency: number) => {
    const queue = await openQueue({ database, logger, workerId: "w", concurrency });
    queues.push(queue);
    const begun: string[] = [];
    const waiting: (() => void)[] = [];
    queue.define(GENERATE_SIGNAL_JOB, async (job) => {
      begun.push(String(readSignalJob(job.attrs.data)._id));
      await new Promise<void>((resolve) => waiting.push(resolve));
    });
    await queue.start();
    return { queue, begun, release: () => waiting.shift()?.() };
  };

  const lockedJobs = () =>
    database.connection
      .collection(JOBS_COLLECTION)
      .countDocuments({ lockedAt: { $ne: null } }, LATEST);
  const jobs = () => database.connection.collection(JOBS_COLLECTION).countDocuments();

  it("are all taken, however they come", async () => {
    const { begun, release } = await startWorker(50);
    const users = await Promise.all(Array.from({ length: 10 }, newUserId));
    const asked = await Promise.all(
      users.flatMap((user) => Array.from({ length: 3 }, () => ask(user))),
    );
    await vi.waitFor(() => expect(begun.toSorted()).toEqual(asked.toSorted()), WITHIN);
    for (const _ of asked) release();
    await vi.waitFor(async () => expect(await jobs()).toBe(0), WITHIN);
  });

  it("are taken in turn by user: one's crowd does not keep another's single one waiting", async () => {
    const [crowd, single] = [await newUserId(), await newUserId()];
    const ofCrowd: string[] = [];
    for (const _ of Array(8)) ofCrowd.push(await ask(crowd));
    const late = await ask(single);
    const { begun, release } = await startWorker(1);
    for (const count of Array(9).keys()) {
      await vi.waitFor(() => expect(begun).toHaveLength(count + 1), WITHIN);
      release();
    }
    expect(begun).toEqual([ofCrowd[0], late, ...ofCrowd.slice(1)]);
  });

  it("are locked only by a worker that has a place for them", async () => {
    const userId = await newUserId();
    for (const _ of Array(12)) await ask(userId);
    const { begun, release } = await startWorker(5);
    await vi.waitFor(() => expect(begun).toHaveLength(5), WITHIN);
    expect(await lockedJobs()).toBe(5);
    release();
    await vi.waitFor(() => expect(begun).toHaveLength(6), WITHIN);
    await vi.waitFor(async () => expect(await lockedJobs()).toBe(5), WITHIN);
    for (const _ of Array(12)) release();
    await vi.waitFor(() => {
      release();
      expect(begun).toHaveLength(12);
    }, WITHIN);
  });
});
