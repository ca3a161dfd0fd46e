import { startDatabaseRelay } from "@shared/testing/failing-database.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLogger } from "../runtime/logger.ts";
import { ChangeFeed } from "./change-feed.ts";
import { type Database, nativeDb, openDatabase } from "./database.ts";

const WAIT = { timeout: 15_000, interval: 10 };
const COLLECTION = "followed";
const logger = createLogger({ service: "test", level: "silent" });

describe("a change feed", () => {
  const uri = newDatabaseUri("change-feed");
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri });
    await database.connection.createCollection(COLLECTION);
  });
  afterAll(() => database.close());

  const insert = (name: string, acknowledge: "majority" | 1 = "majority") =>
    nativeDb(database.connection)
      .collection(COLLECTION)
      .insertOne({ name, kind: "wanted" }, { writeConcern: { w: acknowledge } });

  /** Collects what is reported, and what can be read when the feed opens. */
  const follow = (on: Database) => {
    const names = new Set<unknown>();
    const reading: Promise<void>[] = [];
    let opened = 0;
    const add = (document: unknown) => {
      if (document && typeof document === "object" && "name" in document) names.add(document.name);
    };
    const readAll = async () => {
      const found = nativeDb(on.connection)
        .collection(COLLECTION)
        .find({ kind: "wanted" }, { readConcern: { level: "majority" } });
      for (const document of await found.toArray()) add(document);
    };
    const feed = new ChangeFeed({
      database: on,
      logger,
      collection: COLLECTION,
      match: { kind: "wanted" },
      onWrite: add,
      onOpen: () => {
        opened++;
        reading.push(readAll());
      },
    });
    return { feed, names, opened: () => opened, reading };
  };

  it("misses no document that was written just before it opened and cannot be read yet", async () => {
    for (const index of Array(15).keys()) {
      const { feed, names, reading } = follow(database);
      // Acknowledged before it is on disk: it becomes readable a little later.
      await insert(`late-${index}`, 1);
      await feed.start();
      await Promise.all(reading);
      await vi.waitFor(() => expect(names).toContain(`late-${index}`), WAIT);
      await feed.stop();
    }
  }, 60_000);

  it("reports only the documents that match", async () => {
    const { feed, names } = follow(database);
    await feed.start();
    await nativeDb(database.connection)
      .collection(COLLECTION)
      .insertOne({ name: "unwanted", kind: "other" });
    await insert("wanted");
    await vi.waitFor(() => expect(names).toContain("wanted"), WAIT);
    expect(names).not.toContain("unwanted");
    await feed.stop();
  });

  it("reopens after an interruption and lets its reader catch up", async () => {
    const { relay, uri: through } = await startDatabaseRelay(uri);
    const cutOff = await openDatabase({ uri: through });
    const { feed, names, opened, reading } = follow(cutOff);
    await feed.start();
    await Promise.all(reading);
    await relay.cut();
    await vi.waitFor(() => expect(feed.isOpen).toBe(false), WAIT);
    await insert("meanwhile");
    await relay.restore();
    await vi.waitFor(() => expect(names).toContain("meanwhile"), WAIT);
    expect(opened()).toBeGreaterThanOrEqual(2);
    await Promise.all(reading);
    await feed.stop();
    await cutOff.close();
    await relay.cut();
  }, 40_000);
});
