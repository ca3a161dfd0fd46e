import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { BSON, type Db } from "mongodb";
import { z } from "zod";
import { type BackupManifest, backupManifestSchema, MANIFEST_FILE } from "./dump-database.ts";

const BATCH_SIZE = 1_000;

/** A backup that cannot be restored; nothing was changed. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

const indexSchema = z.looseObject({ name: z.string(), key: z.record(z.string(), z.unknown()) });
const metadataSchema = z.object({ indexes: z.array(indexSchema) });

/**
 * Puts a backup back into an empty database, with its indexes. All files are checked against the manifest before
 * anything is written.
 * @throws BackupError when the folder holds no whole backup, or the database is not empty
 */
export async function restoreDatabase(options: {
  db: Db;
  folder: string;
}): Promise<BackupManifest> {
  const { db, folder } = options;
  const manifest = await readManifest(folder);
  for (const collection of manifest.collections) await verifyFile(folder, collection);
  await assertEmpty(db);
  for (const { name, documents } of manifest.collections) {
    const restored = await restoreCollection({ db, folder, name });
    if (restored !== documents) {
      throw new Error(`${name}: ${restored} documents restored, the backup says ${documents}`);
    }
  }
  return manifest;
}

async function readManifest(folder: string): Promise<BackupManifest> {
  try {
    const text = await readFile(join(folder, MANIFEST_FILE), "utf8");
    return backupManifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new BackupError(`${folder} holds no backup with a readable ${MANIFEST_FILE}.`, { cause });
  }
}

async function verifyFile(
  folder: string,
  { name, sha256 }: BackupManifest["collections"][number],
): Promise<void> {
  const hash = createHash("sha256");
  const file = join(folder, `${name}.bson.gz`);
  await pipeline(createReadStream(file), hash).catch((cause: unknown) => {
    throw new BackupError(`${name}.bson.gz cannot be read.`, { cause });
  });
  if (hash.digest("hex") !== sha256) {
    throw new BackupError(`${name}.bson.gz is not what the manifest says: it was changed.`);
  }
}

async function assertEmpty(db: Db): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of collections) {
    if (name.startsWith("system.")) continue;
    if ((await db.collection(name).estimatedDocumentCount()) === 0) continue;
    throw new BackupError(`The database ${db.databaseName} is not empty: ${name} has documents.`);
  }
}

async function restoreCollection(options: {
  db: Db;
  folder: string;
  name: string;
}): Promise<number> {
  const { db, folder, name } = options;
  const collection = db.collection(name);
  let restored = 0;
  const insert = async (batch: Uint8Array[]) => {
    const documents = batch.map((bytes) => BSON.deserialize(bytes, { promoteValues: false }));
    if (documents.length === 0) return;
    await collection.insertMany(documents, { ordered: false, writeConcern: { w: "majority" } });
    restored += documents.length;
  };
  const file = createReadStream(join(folder, `${name}.bson.gz`));
  await pipeline(file, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    let batch: Uint8Array[] = [];
    for await (const document of splitDocuments(chunks)) {
      batch.push(document);
      if (batch.length < BATCH_SIZE) continue;
      await insert(batch);
      batch = [];
    }
    await insert(batch);
  });
  await restoreIndexes({ db, folder, name });
  return restored;
}

async function restoreIndexes(options: { db: Db; folder: string; name: string }): Promise<void> {
  const { db, folder, name } = options;
  const text = await readFile(join(folder, `${name}.metadata.json`), "utf8");
  const { indexes } = metadataSchema.parse(BSON.EJSON.parse(text));
  const own = indexes.filter((index) => index.name !== "_id_");
  if (own.length === 0) return;
  const createIndexes = own.map(({ v: _version, ns: _namespace, ...index }) => index);
  await db.command({ createIndexes: name, indexes: createIndexes });
}

/** A BSON document begins with its own length, which counts these four bytes as well. */
const LENGTH_BYTES = 4;

/** MongoDB's largest document with some room for what the server adds (as mongodump's files may hold). */
const MOST_BYTES = 17 * 1_024 * 1_024;

/**
 * Takes a stream of BSON documents, one after the other as mongodump writes them, apart.
 * @throws RangeError for bytes that cannot be such a stream, or that end in the midst of a document
 */
async function* splitDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let offset = 0;
    for (;;) {
      const length = documentLength(rest, offset);
      if (length === undefined || offset + length > rest.length) break;
      yield rest.subarray(offset, offset + length);
      offset += length;
    }
    rest = rest.subarray(offset);
  }
  if (rest.length > 0) throw new RangeError("The file ends in the midst of a document.");
}

function documentLength(bytes: Buffer, offset: number): number | undefined {
  if (bytes.length - offset < LENGTH_BYTES) return undefined;
  const length = bytes.readInt32LE(offset);
  if (length > LENGTH_BYTES && length <= MOST_BYTES) return length;
  throw new RangeError("The file is no sequence of BSON documents.");
}
