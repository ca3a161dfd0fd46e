import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { MongoClient } from "mongodb";
import { type mongo, Types } from "mongoose";
import { expect, it } from "vitest";
import { z } from "zod";
import { newWorkItem, workId } from "../work/work-item.ts";
import { type Database, nativeDb, openDatabase } from "./database.ts";
import { INDEXES_SHA256 } from "./migrations.ts";
import { SCHEMA_STATE_ID } from "./models/schema-state.ts";

const indexSchema = z.looseObject({
  key: z.record(z.string(), z.literal([1, -1])),
  name: z.string(),
});
const formerSchema = z.record(z.string(), z.record(z.string(), z.array(indexSchema)));

/** Collections and indexes by version; the one of 2026-11-25 had been upgraded from 0.1.0. */
const FORMER = formerSchema.parse(
  JSON.parse(readFileSync(new URL("former-databases.json", import.meta.url), "utf8")),
);

async function formerDatabase(version: string): Promise<string> {
  const uri = newDatabaseUri("former");
  const client = await MongoClient.connect(uri);
  for (const [name, indexes] of Object.entries(FORMER[version] ?? {})) {
    const collection = await client.db().createCollection(name);
    if (indexes.length > 0) await collection.createIndexes(indexes);
  }
  await client.close();
  return uri;
}

/** Without the open connection. */
async function inDatabase<Result>(
  uri: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({ uri });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function indexesOf({ connection }: Database) {
  const models = Object.values(connection.models);
  const listed = await Promise.all(
    models.map(async ({ collection: { collectionName: name } }) => {
      const indexes = await nativeDb(connection).collection(name).indexes();
      const sorted = indexes.toSorted((a, b) => String(a.name).localeCompare(String(b.name)));
      return [name, sorted] as const;
    }),
  );
  return Object.fromEntries(listed);
}

it.each(["2026-11-25", "2026-11-26"])(
  "a database of %s gets the present indexes",
  async (version) => {
    const uri = await formerDatabase(version);
    const [migrated, present] = await Promise.all([
      inDatabase(uri, indexesOf),
      inDatabase(newDatabaseUri("present"), indexesOf),
    ]);
    expect(migrated).toEqual(present);
  },
);

it("a user of an upgraded database can submit a second proof of payment", async () => {
  const uri = await formerDatabase("2026-11-25");
  await inDatabase(uri, async ({ paymentProofs }) => {
    const [userId, laterId] = [new Types.ObjectId(), new Types.ObjectId()];
    const proofs: mongo.Collection = nativeDb(paymentProofs.db).collection("payment_proofs");
    await proofs.insertMany([
      { userId, filename: "first.png", replacedById: laterId },
      { _id: laterId, userId, filename: "second.png", replacedById: null },
    ]);
    expect(await proofs.countDocuments({ userId })).toBe(2);
  });
});

it("emails about subscriptions that wait in an upgraded database become work items", async () => {
  const uri = await formerDatabase("2026-11-26");
  const client = await MongoClient.connect(uri);
  const dates = [1, 2, 3, 4].map((day) => new Date(Date.UTC(2026, 10, 26 + day)));
  const [createdAt = new Date(), dueAt = new Date(), endsAt = new Date(), expiresAt] = dates;
  const subscription = { plan: "pro", endsAt, accessEndsAt: endsAt };
  const user = new Types.ObjectId();
  const stored = { kind: "subscription-expiring", subscription, createdAt, dueAt, expiresAt };
  const emails = client.db().collection("emails");
  await emails.insertMany([
    { ...stored, userId: user, refusals: 2 },
    { ...stored, userId: user },
  ]);
  const [refused] = await emails.find().toArray();
  // Recurring jobs of that version which are work items now.
  const former = ["resume-fan-outs", "schedule-analyses", "sweep-subscriptions"];
  const jobs = client.db().collection("agendaJobs");
  await jobs.insertMany(former.map((name) => ({ name, type: "single", lockedAt: null })));
  await client.close();
  await inDatabase(uri, async ({ jobs, connection }) => {
    const items = await jobs.find().sort({ failCount: -1 }).lean();
    const data = {
      userId: user.toString(),
      kind: "subscription-expiring",
      subscription,
      expiresAt,
    };
    const item = newWorkItem({ kind: "send-email", id: new Types.ObjectId(), data, dueAt });
    expect(items).toEqual([
      { ...item, _id: refused?._id, failCount: 2 },
      { ...item, _id: expect.any(Types.ObjectId) },
    ]);
    const left = await nativeDb(connection).listCollections({ name: "emails" }).toArray();
    expect(left).toEqual([]);
  });
});

it("recurring jobs of an upgraded database become work items, once each, as they were", async () => {
  const uri = await formerDatabase("2026-11-26");
  const client = await MongoClient.connect(uri);
  const nextRunAt = new Date("2026-11-27T03:00:00Z");
  const former = { type: "single", priority: 0, data: {}, lockedAt: null, nextRunAt };
  const nightly = { repeatInterval: "0 3 * * *", repeatTimezone: "UTC", disabled: true };
  await client
    .db()
    .collection("agendaJobs")
    .insertMany([
      { ...former, name: "clean-up-files", ...nightly },
      { ...former, name: "sweep-signals", repeatInterval: "10 seconds", lockedAt: nextRunAt },
      { ...former, name: "wake-late-channels", repeatInterval: "10 seconds" },
    ]);
  await client.close();
  await inDatabase(uri, async ({ jobs }) => {
    const normal = { ...former, type: "normal" };
    expect(await jobs.find().sort({ name: 1 }).lean()).toEqual([
      { ...normal, ...nightly, name: "clean-up-files", _id: workId("clean-up-files", "") },
      {
        ...normal,
        name: "sweep-signals",
        repeatInterval: "10 seconds",
        lockedAt: nextRunAt,
        _id: workId("sweep-signals", ""),
      },
    ]);
  });
});

it("a database of 0.1.0 is refused with one line that says what to do", async () => {
  const uri = await formerDatabase("0.1.0");
  await expect(openDatabase({ uri })).rejects.toThrow(
    /^The database was made by a former version and cannot be used\. Use another MONGODB_URI.*$/,
  );
});

it("payments of an earlier version keep what their plan cost and contained", async () => {
  const uri = await formerDatabase("2026-11-26");
  const client = new MongoClient(uri);
  const payments = client.db().collection("billing_periods");
  const times = { subscribedAt: new Date(0), startedAt: new Date(0), endsAt: new Date(1) };
  await payments.insertMany(
    ["starter", "institutional"].map((plan, firstMonth) => ({ plan, firstMonth, ...times })),
  );
  await (await openDatabase({ uri })).close();
  const kept = await payments.find().sort({ firstMonth: 1 }).toArray();
  expect(kept).toMatchObject([
    { plan: "starter", monthlyUsd: 50, imageCredits: 50 },
    { plan: "institutional", monthlyUsd: 200, imageCredits: 500 },
  ]);
  await client.close();
});

it("a database of a later version is refused with one line that says what to do", async () => {
  const uri = newDatabaseUri("later");
  await inDatabase(uri, ({ schemaStates }) =>
    schemaStates.updateOne({ _id: SCHEMA_STATE_ID }, { $set: { version: 1_000 } }),
  );
  await expect(openDatabase({ uri })).rejects.toThrow(/^A later version .* Start that version.*$/);
});

it("processes that start together migrate once, also after one that crashed", async () => {
  const uri = await formerDatabase("2026-11-26");
  const client = await MongoClient.connect(uri);
  const states = client.db().collection<{ _id: string; claimedUntil: Date }>("schema_state");
  await states.insertOne({ _id: SCHEMA_STATE_ID, claimedUntil: new Date(Date.now() - 1_000) });
  const opened = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ uri })));
  expect(await states.findOne()).toEqual({ _id: SCHEMA_STATE_ID, version: expect.any(Number) });
  await Promise.all([client.close(), ...opened.map((database) => database.close())]);
});

it("an index changes only with a migration: raise its version and the hash", async () => {
  const database = await openDatabase({ uri: newDatabaseUri("declared") });
  const declared = Object.values(database.connection.models)
    .map(({ collection, schema }) => [collection.collectionName, schema.indexes()])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  await database.close();
  const sha256 = createHash("sha256").update(JSON.stringify(declared)).digest("hex");
  expect(sha256).toBe(INDEXES_SHA256);
});
