import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { type Db, MongoClient, ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../logger.ts";
import { judgeEarlierSignals } from "./judge-earlier-signals.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migration.ts";
import { moveStreamHeads } from "./move-stream-heads.ts";

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

  it("move the streams' counters to the events, with the signals that nobody has ended", async () => {
    const [ann, bob] = [new ObjectId(), new ObjectId()];
    await db.collection<{ _id: string; seq: number }>("stream_counters").insertMany([
      { _id: `user:${ann}`, seq: 7 },
      { _id: `user:${bob}`, seq: 3 },
      { _id: "admins", seq: 12 },
    ]);
    const statuses = ["queued", "running", "completed", "failed"];
    await db.collection("signals").insertMany(statuses.map((status) => ({ userId: ann, status })));
    await run(moveStreamHeads);
    await run(moveStreamHeads);
    const heads = await db.collection("events").find().sort({ head: 1 }).toArray();
    expect(heads).toEqual([
      { _id: `user:${bob}`, head: 3 },
      { _id: `user:${ann}`, head: 7, unfinished: 2 },
      { _id: "admins", head: 12 },
    ]);
    expect(await db.listCollections({ name: "stream_counters" }).toArray()).toEqual([]);
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
