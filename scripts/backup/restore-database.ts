import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { BSON, type Db, type Document } from "mongodb";
import { z } from "zod";
import { CliError } from "../lib/cli.ts";
import { type BackupFolder, type BackupReader, openBackupFolder } from "./backup-files.ts";
import { type BackupManifest, backupManifestSchema, MANIFEST_FILE } from "./dump-database.ts";

const BATCH_SIZE = 1_000;

const indexSchema = z.looseObject({ name: z.string(), key: z.record(z.string(), z.unknown()) });
const metadataSchema = z.object({ indexes: z.array(indexSchema) });

/** All files are checked against the manifest before anything is changed. */
export async function restoreDatabase(db: Db, source: BackupFolder): Promise<BackupManifest> {
  const files = await openBackupFolder(source);
  const manifest = await readManifest(files, source.folder);
  for (const collection of manifest.collections) await verifyFiles(files, collection);
  await assertEmpty(db);
  for (const { name, documents } of manifest.collections) {
    const restored = await restoreDocuments(db, files, name);
    if (restored !== documents) {
      throw new Error(`${name}: ${restored} documents restored, the backup says ${documents}`);
    }
    await restoreIndexes(db, files, name);
  }
  return manifest;
}

async function readManifest(files: BackupReader, folder: string): Promise<BackupManifest> {
  try {
    return backupManifestSchema.parse(JSON.parse(await text(files.read(MANIFEST_FILE))));
  } catch (cause) {
    throw new CliError(`${folder} holds no backup with a readable ${MANIFEST_FILE}.`, { cause });
  }
}

async function verifyFiles(
  files: BackupReader,
  { name, sha256 }: BackupManifest["collections"][number],
): Promise<void> {
  const hash = createHash("sha256");
  try {
    await pipeline(files.read(`${name}.bson.gz`), hash);
    await readIndexes(files, name);
  } catch (cause) {
    throw new CliError(
      `The files of ${name} cannot be read: they were changed or are incomplete.`,
      {
        cause,
      },
    );
  }
  if (hash.digest("hex") !== sha256) {
    throw new CliError(`${name}.bson.gz is not what the manifest says: it was changed.`);
  }
}

async function readIndexes(files: BackupReader, name: string) {
  const metadata = await text(files.read(`${name}.metadata.json`));
  return metadataSchema.parse(BSON.EJSON.parse(metadata)).indexes;
}

async function assertEmpty(db: Db): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of collections) {
    if (name.startsWith("system.")) continue;
    if ((await db.collection(name).estimatedDocumentCount()) === 0) continue;
    throw new CliError(`The database ${db.databaseName} is not empty: ${name} has documents.`);
  }
}

async function restoreDocuments(db: Db, files: BackupReader, name: string): Promise<number> {
  let restored = 0;
  const insert = async (batch: readonly Document[]) => {
    if (batch.length === 0) return;
    const options = { ordered: false, writeConcern: { w: "majority" } } as const;
    restored += (await db.collection(name).insertMany(batch, options)).insertedCount;
  };
  await pipeline(
    files.read(`${name}.bson.gz`),
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      let batch: Document[] = [];
      for await (const bytes of splitDocuments(chunks)) {
        batch.push(BSON.deserialize(bytes, { promoteValues: false }));
        if (batch.length < BATCH_SIZE) continue;
        await insert(batch);
        batch = [];
      }
      await insert(batch);
    },
  );
  return restored;
}

async function restoreIndexes(db: Db, files: BackupReader, name: string): Promise<void> {
  const own = (await readIndexes(files, name)).filter((index) => index.name !== "_id_");
  if (own.length === 0) return;
  const createIndexes = own.map(({ v: _version, ns: _namespace, ...index }) => index);
  await db.command({ createIndexes: name, indexes: createIndexes });
}

/** A BSON document starts with its length, which includes these four bytes. */
const LENGTH_BYTES = 4;

/** MongoDB's largest document, and some bytes that the server may add. */
const MAX_DOCUMENT_BYTES = 17 * 1_024 * 1_024;

async function* splitDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= LENGTH_BYTES) {
      const length = rest.readInt32LE();
      if (length <= LENGTH_BYTES || length > MAX_DOCUMENT_BYTES) {
        throw new RangeError("The file is no sequence of BSON documents.");
      }
      if (length > rest.length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new RangeError("The file ends in the middle of a document.");
}
