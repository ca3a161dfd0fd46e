import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Connection, mongo } from "mongoose";
import { PLANS } from "../contract/plans.ts";
import { JOBS_COLLECTION } from "./models/job.ts";
import { SCHEMA_STATE_ID, type SchemaStateRecord } from "./models/schema-state.ts";

interface Migration {
  version: number;
  /** May run again after a crash. */
  run: (connection: Connection) => Promise<void>;
}

/**
 * How a database comes to the present form, oldest first. A change of stored data or of an index needs another one: a process
 * of an earlier version does not start with the database any more.
 */
const MIGRATIONS: readonly Migration[] = [
  { version: 1, run: dropFormerIndexes },
  // Indexes were added only.
  { version: 2, run: () => Promise.resolve() },
  { version: 3, run: moveEmails },
  { version: 4, run: deleteFormerJobs },
  // Further recurring jobs have become work items.
  { version: 5, run: deleteFormerJobs },
  { version: 6, run: takeOverRecurringJobs },
  // An index and collections were added only.
  { version: 7, run: () => Promise.resolve() },
  // Indexes and collections were added as well.
  { version: 8, run: storeTermsOfPayments },
  // An index was added only.
  { version: 9, run: () => Promise.resolve() },
];

/** SHA-256 of all declared indexes. A test compares it, so that none changes without a migration. */
export const INDEXES_SHA256 = "21b5e1c7209abac797d8da306e300088baeee248b10fc945797ec40a30f1917a";

const CURRENT_VERSION = Math.max(...MIGRATIONS.map(({ version }) => version));

/** Longer than all migrations of a large database take. */
const CLAIM_MS = 10 * 60_000;
const POLL_INTERVAL_MS = 200;

/**
 * Brings a database of an earlier version to the present form. One process does it, and others that start meanwhile wait.
 * @throws an Error with one line if the database is of a later version, or this account may not change it
 */
export async function migrate(
  connection: Connection,
  states: mongo.Collection<SchemaStateRecord>,
): Promise<void> {
  try {
    while (!(await migrateOrWait(connection, states))) await delay(POLL_INTERVAL_MS);
  } catch (error) {
    if (isServerError(error, UNAUTHORIZED)) throw new Error(NOT_ALLOWED, { cause: error });
    throw error;
  }
}

const NOT_ALLOWED =
  "The database has to be prepared for this version of the product first: run `node scripts/run.mjs database-accounts`.";

/** @returns whether the database has the present form */
async function migrateOrWait(
  connection: Connection,
  states: mongo.Collection<SchemaStateRecord>,
): Promise<boolean> {
  const { version = 0 } = (await states.findOne({ _id: SCHEMA_STATE_ID })) ?? {};
  if (version > CURRENT_VERSION) {
    throw new Error(
      `A later version of the product uses this database (form ${version}, and this one knows ${CURRENT_VERSION}). Start that version, or restore a backup.`,
    );
  }
  if (version === CURRENT_VERSION) return true;
  if (!(await claim(states))) return false;
  for (const migration of MIGRATIONS) {
    if (migration.version > version) await migration.run(connection);
  }
  await states.updateOne(
    { _id: SCHEMA_STATE_ID },
    { $set: { version: CURRENT_VERSION }, $unset: { claimedUntil: 1 } },
  );
  return true;
}

/** Takes the claim if no process has it, or if the one that had it crashed. */
async function claim(states: mongo.Collection<SchemaStateRecord>): Promise<boolean> {
  const _id = SCHEMA_STATE_ID;
  await states.updateOne(
    { _id },
    { $setOnInsert: { claimedUntil: new Date(0) } },
    { upsert: true },
  );
  const isFree = { $lte: [{ $ifNull: ["$claimedUntil", 0] }, "$$NOW"] };
  const { modifiedCount } = await states.updateOne({ _id, $expr: isFree }, [
    { $set: { claimedUntil: { $add: ["$$NOW", CLAIM_MS] } } },
  ]);
  return modifiedCount === 1;
}

const UNAUTHORIZED = 13;

const isServerError = (error: unknown, code: number): boolean =>
  error instanceof mongo.MongoServerError && error.code === code;

/** An index of an earlier version may forbid what this one stores. */
async function dropFormerIndexes(connection: Connection): Promise<void> {
  const database = connection.getClient().db(connection.name);
  const options = { nameOnly: true, authorizedCollections: true };
  const stored = await database.listCollections({}, options).toArray();
  const names = new Set(stored.map(({ name }) => name));
  for (const model of Object.values(connection.models)) {
    const { collection } = model;
    // A new database has none, and to ask for the indexes of each takes a tenth of its creation.
    if (!names.has(collection.collectionName)) continue;
    const { toDrop } = await model.diffIndexes();
    for (const name of toDrop) await collection.dropIndex(name);
  }
}

/** Emails about subscriptions were documents of their own, which servers sent. They are work items now. */
async function moveEmails(connection: Connection): Promise<void> {
  const database = connection.getClient().db(connection.name);
  const unset = ["disabled", "lastRunAt", "lastFinishedAt", "progress", "failedAt", "failReason"];
  const unlocked = ["lockedAt", "lastModifiedBy", "repeatInterval", "repeatAt", "repeatTimezone"];
  const item = {
    name: "send-email",
    type: "normal",
    data: {
      userId: { $toString: "$userId" },
      kind: "$kind",
      subscription: "$subscription",
      expiresAt: "$expiresAt",
    },
    priority: { $literal: 0 },
    nextRunAt: "$dueAt",
    failCount: { $ifNull: ["$refusals", null] },
    ...Object.fromEntries([...unset, ...unlocked].map((field) => [field, { $literal: null }])),
  };
  const merge = { into: JOBS_COLLECTION, whenMatched: "keepExisting" };
  const emails = database.collection("emails");
  await emails.aggregate([{ $project: item }, { $merge: merge }]).toArray();
  await emails.drop();
}

/** Recurring jobs that have become work items. */
const FORMER_JOBS = ["resume-fan-outs", "schedule-analyses", "sweep-subscriptions"];

async function deleteFormerJobs(connection: Connection): Promise<void> {
  const jobs = connection.getClient().db(connection.name).collection(JOBS_COLLECTION);
  await jobs.deleteMany({ name: { $in: FORMER_JOBS } });
}

/** A payment was of what its plan costs and contains. Administrators can change that now, and a payment keeps it. */
async function storeTermsOfPayments(connection: Connection): Promise<void> {
  const payments = connection.getClient().db(connection.name).collection("billing_periods");
  for (const { id, monthlyUsd, imageCredits } of PLANS) {
    const filter = { plan: id, monthlyUsd: { $exists: false } };
    await payments.updateMany(filter, { $set: { monthlyUsd, imageCredits } });
  }
}

/** Recurring jobs were run by Agenda. They are work items now: what is due, paused or locked stays so. */
async function takeOverRecurringJobs(connection: Connection): Promise<void> {
  const database = connection.getClient().db(connection.name);
  const jobs = database.collection<{ name: string; type: string }>(JOBS_COLLECTION);
  // Nothing needs it any more.
  await jobs.deleteMany({ type: "single", name: "wake-late-channels" });
  for await (const { _id: formerId, ...job } of jobs.find({ type: "single" })) {
    const idText = createHash("sha256").update(`${job.name} `).digest("hex").slice(0, 24);
    const _id = new mongo.ObjectId(idText);
    await jobs.updateOne({ _id }, { $setOnInsert: { ...job, type: "normal" } }, { upsert: true });
    await jobs.deleteOne({ _id: formerId });
  }
}
