import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { KindQueue } from "./kind-queue.ts";
import { oneByOne } from "./work-handler.ts";
import { newWorkItem } from "./work-item.ts";

const KIND = "try-out";
const logger = createLogger({ service: "test", level: "silent" });

describe("the queue of a kind", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  /** The next look ends when this is called, with what it has read before. */
  function holdNextLook(): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { workerStatuses } = database;
    const find = workerStatuses.find.bind(workerStatuses);
    vi.spyOn(workerStatuses, "find").mockImplementationOnce((filter) => {
      const query = find(filter ?? {});
      const exec = query.exec.bind(query);
      return Object.assign(query, { exec: () => held.then(exec) });
    });
    return release;
  }

  it("does at once an item that was added while it looked and found none", async () => {
    const done: string[] = [];
    const handler = oneByOne(
      { database, logger },
      {
        kind: KIND,
        concurrency: 5,
        retryDelayMs: () => 100,
        run: async ({ _id }) => void done.push(String(_id)),
      },
    );
    const owner = { workerId: "one", lockMs: 20_000 };
    const queue = new KindQueue({ database, logger, owner, mayTakeOver: () => false }, handler);
    const release = holdNextLook();
    queue.claimSoon();
    // What the look reads of the items was sent before this.
    await database.jobs.countDocuments();
    const item = newWorkItem({ kind: KIND, id: new Types.ObjectId(), data: {}, dueAt: new Date() });
    await database.jobs.create(item);
    queue.claimSoon();
    release();
    await vi.waitFor(() => expect(done).toEqual([String(item._id)]), { timeout: 15_000 });
    await queue.stopClaiming();
    await queue.drained();
  });
});
