import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../logger.ts";
import { judgeEarlierSignals } from "./judge-earlier-signals.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migration.ts";

describe("migrations at the start", () => {
  let client: MongoClient;
  let db: Db;
  const logger = createLogger({ part: "test", level: "silent" });
  beforeAll(async () => {
    client = await MongoClient.connect(testDatabaseUri("migrations"));
    db = client.db();
  });
  afterAll(() => client.close());

  const taken: string[] = [];
  beforeEach(async () => {
    taken.length = 0;
    await db.dropDatabase();
  });
  const step = (id: string, up: () => Promise<void> = () => Promise.resolve()): Migration => ({
    id,
    up: async () => {
      await up();
      taken.push(id);
    },
  });
  const run = (...migrations: Migration[]) => migrate({ db, migrations, logger });

  it("are taken in order, and once", async () => {
    await run(step("a"), step("b"));
    await run(step("a"), step("b"), step("c"));
    expect(taken).toEqual(["a", "b", "c"]);
  });

  it("are taken by one of several parts that start together; the others wait for its end", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    const slow = step("slow", () => {
      begun += 1;
      return held;
    });
    let ended = 0;
    const part = async () => {
      await run(slow);
      ended += 1;
    };
    const parts = Promise.all([part(), part(), part()]);
    await expect.poll(() => begun).toBe(1);
    expect(ended).toBe(0);
    release();
    await parts;
    expect(begun).toBe(1);
    expect(taken).toEqual(["slow"]);
  });

  it("go on where a failed one stopped", async () => {
    const broken = step("b", () => Promise.reject(new Error("disk full")));
    await expect(run(step("a"), broken, step("c"))).rejects.toThrow("disk full");
    await run(step("a"), step("b"), step("c"));
    expect(taken).toEqual(["a", "b", "c"]);
  });

  it("do not wait for ever for a part that died while it migrated", async () => {
    const longAgo = new Date(Date.now() - 60_000);
    await db.collection<{ _id: string; owner: string; until: Date }>("migration_lock").insertOne({
      _id: "lock",
      owner: "dead",
      until: longAgo,
    });
    await run(step("a"));
    expect(taken).toEqual(["a"]);
  });

  it("make trades due that were finished before trades were judged, and nothing else", async () => {
    const finishedAt = new Date("2026-11-01T00:00:00Z");
    const signals = db.collection("signals");
    const completed = { status: "completed", finishedAt };
    await signals.insertMany([
      { name: "buy", ...completed, analysis: { final_signal: "BUY" } },
      { name: "wait", ...completed, analysis: { final_signal: "WAIT" } },
      { name: "won", ...completed, analysis: { final_signal: "SELL" }, outcome: "WIN" },
      { name: "failed", ...completed, status: "failed", analysis: { final_signal: "BUY" } },
    ]);
    await run(judgeEarlierSignals);
    const due = await signals.find({ judgeAt: { $exists: true } }).toArray();
    expect(due.map(({ name, judgeAt }) => ({ name, judgeAt }))).toEqual([
      { name: "buy", judgeAt: finishedAt },
    ]);
  });
});
