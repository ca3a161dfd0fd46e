import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Collection, Db } from "mongodb";
import type { Logger } from "../logger.ts";
import type { Migration } from "./migration.ts";

/** A process that died while migrating holds the others up for this long. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = LEASE_MS / 3;
const ASK_AGAIN_MS = 250;

interface AppliedMigration {
  _id: string;
  appliedAt: Date;
}

/** Times are the database's own, so that clocks of several machines do not matter. */
interface MigrationLock {
  _id: "lock";
  owner: string;
  until: Date;
}

/**
 * Takes the steps that this database has not taken yet, in their order, each once: of several parts that start at the
 * same time one does, and the others wait for it.
 * @throws whatever a step fails with; the steps before it stay taken
 */
export async function migrate(options: {
  db: Db;
  migrations: readonly Migration[];
  logger: Logger;
}): Promise<void> {
  const { db, migrations } = options;
  const applied = db.collection<AppliedMigration>("migrations");
  const isPending = async () => (await pendingOf(applied, migrations)).length > 0;
  while (await isPending()) {
    const done = await withLock(db, () => takeSteps({ ...options, applied }));
    if (!done) await delay(ASK_AGAIN_MS);
  }
}

async function pendingOf(
  applied: Collection<AppliedMigration>,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const known = new Set((await applied.find().toArray()).map(({ _id }) => _id));
  return migrations.filter(({ id }) => !known.has(id));
}

async function takeSteps(options: {
  db: Db;
  migrations: readonly Migration[];
  applied: Collection<AppliedMigration>;
  logger: Logger;
}): Promise<void> {
  const { db, migrations, applied, logger } = options;
  for (const migration of await pendingOf(applied, migrations)) {
    logger.info({ migration: migration.id }, "migrating");
    await migration.up(db);
    await applied.insertOne({ _id: migration.id, appliedAt: new Date() });
  }
}

/** @returns false when another process holds the lock */
async function withLock(db: Db, work: () => Promise<void>): Promise<boolean> {
  const locks = db.collection<MigrationLock>("migration_lock");
  const owner = randomUUID();
  if (!(await takeLock(locks, owner))) return false;
  const extension = [{ $set: { until: { $add: ["$$NOW", LEASE_MS] } } }];
  let renewal = Promise.resolve();
  const renewing = setInterval(() => {
    // A renewal that fails is made up for by the next; should all fail, the step is one that may be taken twice.
    renewal = locks.updateOne({ _id: "lock", owner }, extension).then(
      () => undefined,
      () => undefined,
    );
  }, RENEW_EVERY_MS);
  try {
    await work();
    return true;
  } finally {
    clearInterval(renewing);
    await renewal;
    await locks.deleteOne({ _id: "lock", owner });
  }
}

/** Takes the lock if its holder's time has passed, in one step that the database decides. */
async function takeLock(locks: Collection<MigrationLock>, owner: string): Promise<boolean> {
  const isFree = { $lt: [{ $ifNull: ["$until", new Date(0)] }, "$$NOW"] };
  const until = { $add: ["$$NOW", LEASE_MS] };
  const lock = await locks.findOneAndUpdate(
    { _id: "lock" },
    [
      {
        $set: {
          owner: { $cond: [isFree, owner, "$owner"] },
          until: { $cond: [isFree, until, "$until"] },
        },
      },
    ],
    { upsert: true, returnDocument: "after" },
  );
  return lock?.owner === owner;
}
