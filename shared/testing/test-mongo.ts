import { randomUUID } from "node:crypto";
import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Db, MongoClient } from "mongodb";
import { inject } from "vitest";
import { z } from "zod";

/** A database name has at most 63 bytes, including the unique part. */
const MAX_HINT_LENGTH = 24;

/** Other test files run before a database is used again, so that nothing of the earlier one is still running. */
const MIN_WAITING = 4;

/** A document of a killed client's transaction can be locked for 10 s. */
const EMPTYING_TIMEOUT_MS = 1_000;

const inUse: string[] = [];

/**
 * Address of a new database on the replica set of the run: for tests that cut off its clients, or change more than
 * documents.
 * @param name a hint for debugging; letters, digits and hyphens are kept
 */
export function newDatabaseUri(name = "test"): string {
  const hint = name.replaceAll(/[^A-Za-z0-9-]/g, "-").slice(0, MAX_HINT_LENGTH);
  return addressOf(`${hint}-${randomUUID()}`);
}

/**
 * Address of an empty database, which later test files use again: to create one takes the database 0.6 s of the processor,
 * and all it does takes longer the more there are. Processes that use it must have ended with the test file.
 */
export function testDatabaseUri(): string {
  const name = takeEmptied() ?? `test-${randomUUID()}`;
  inUse.push(name);
  return addressOf(name);
}

/** Files that are named for the moment and the database, for all processes of the run. Who deletes one has the database. */
const waitingFiles = (): string[] => readdirSync(inject("emptiedDatabases")).toSorted();

function takeEmptied(): string | undefined {
  const [oldest] = waitingFiles().slice(0, -MIN_WAITING);
  if (!oldest) return undefined;
  try {
    unlinkSync(join(inject("emptiedDatabases"), oldest));
    return oldest.slice(oldest.indexOf("_") + 1);
  } catch {
    // Another process was faster.
    return takeEmptied();
  }
}

const noteEmptied = (name: string): void =>
  writeFileSync(join(inject("emptiedDatabases"), `${Date.now()}_${name}`), "");

const hashSchema = z.object({ collections: z.record(z.string(), z.string()) });

/** MD5 of no documents. */
const HASH_OF_NONE = "d41d8cd98f00b204e9800998ecf8427e";

/** The indexes stay, and so does the note of them. */
const isKept = (name: string): boolean => name === "schema_state" || name.startsWith("system.");

/** Most collections are empty already, which one command says of all. */
async function empty(db: Db): Promise<void> {
  const command = { dbHash: 1, maxTimeMS: EMPTYING_TIMEOUT_MS };
  const { collections } = hashSchema.parse(await db.command(command));
  const full = Object.keys(collections).filter(
    (name) => collections[name] !== HASH_OF_NONE && !isKept(name),
  );
  const options = { maxTimeMS: EMPTYING_TIMEOUT_MS };
  await Promise.all(full.map((name) => db.collection(name).deleteMany({}, options)));
  await db.dropCollection("system.profile");
}

/** Empties the databases that a test file has used. One that cannot be emptied is not used again. */
export async function emptyTestDatabases(): Promise<void> {
  const used = inUse.splice(0);
  if (used.length === 0) return;
  const client = await MongoClient.connect(inject("mongoUri"), { maxPoolSize: 2 });
  for (const name of used) {
    await empty(client.db(name)).then(
      () => noteEmptied(name),
      () => undefined,
    );
  }
  await client.close();
}

function addressOf(database: string): string {
  const uri = new URL(inject("mongoUri"));
  uri.pathname = `/${database}`;
  return uri.href;
}
