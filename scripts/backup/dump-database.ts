import { createHash } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sha256Schema } from "@shared/contract/ledger.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { BSON, type ClientSession, type Collection, type Db, type MongoClient } from "mongodb";
import { z } from "zod";
import { type BackupFolder, type BackupWriter, createBackupFolder } from "./backup-files.ts";

export const MANIFEST_FILE = "manifest.json";

const savedCollectionSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]+$/),
  documents: z.number().int().nonnegative(),
  sha256: sha256Schema,
});
type SavedCollection = z.infer<typeof savedCollectionSchema>;

export const backupManifestSchema = z.object({
  format: z.literal(1),
  made_at: z.iso.datetime(),
  version: z.string(),
  database: z.string(),
  collections: z.array(savedCollectionSchema),
});
export type BackupManifest = z.infer<typeof backupManifestSchema>;

/** `mongorestore --gzip` reads the files as well. An incomplete folder never has the final name. */
export async function dumpDatabase(
  client: MongoClient,
  target: BackupFolder,
): Promise<BackupManifest> {
  const draft = `${target.folder}.part`;
  await rm(draft, { recursive: true, force: true });
  const files = await createBackupFolder({ ...target, folder: draft });
  const made_at = new Date().toISOString();
  const db = client.db();
  const names = await listCollections(db);
  const collections = await withLongHistory(client, () =>
    // One snapshot for all: a signal is never there without its event.
    client.withSession({ snapshot: true }, async (session) => {
      const saved: SavedCollection[] = [];
      for (const name of names) {
        saved.push(await dumpCollection(db.collection(name), files, session));
      }
      return saved;
    }),
  );
  const manifest = {
    format: 1,
    made_at,
    version: productVersion(),
    database: db.databaseName,
    collections,
  } as const;
  await files.write(MANIFEST_FILE, Readable.from([Buffer.from(JSON.stringify(manifest, null, 2))]));
  await rename(draft, target.folder);
  return manifest;
}

const HISTORY_PARAMETER = "minSnapshotHistoryWindowInSeconds";
const HISTORY_SECONDS = 3_600;
const historySchema = z.object({ [HISTORY_PARAMETER]: z.number() });

/** Makes the database keep the snapshot that `read` needs for an hour; otherwise it keeps one for seconds. */
async function withLongHistory<Result>(
  client: MongoClient,
  read: () => Promise<Result>,
): Promise<Result> {
  const admin = client.db("admin");
  const reply = await admin.command({ getParameter: 1, [HISTORY_PARAMETER]: 1 });
  const setHistory = (seconds: number | undefined) =>
    admin.command({ setParameter: 1, [HISTORY_PARAMETER]: seconds });
  await setHistory(HISTORY_SECONDS);
  try {
    return await read();
  } finally {
    await setHistory(historySchema.parse(reply)[HISTORY_PARAMETER]);
  }
}

async function listCollections(db: Db): Promise<string[]> {
  const all = await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray();
  return all
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("system."))
    .sort();
}

async function dumpCollection(
  collection: Collection,
  files: BackupWriter,
  session: ClientSession,
): Promise<SavedCollection> {
  const { collectionName: name } = collection;
  const indexes = await collection.indexes();
  const metadata = { collectionName: name, type: "collection", options: {}, indexes };
  const text = Buffer.from(BSON.EJSON.stringify(metadata));
  await files.write(`${name}.metadata.json`, Readable.from([text]));
  let documents = 0;
  const counted = Readable.from(collection.find({}, { session, raw: true, batchSize: 1_000 })).map(
    (document: Uint8Array) => {
      documents += 1;
      return document;
    },
  );
  const hash = createHash("sha256");
  const gzip = createGzip().on("data", (chunk) => hash.update(chunk));
  await pipeline(counted, gzip, (chunks: AsyncIterable<Buffer>) =>
    files.write(`${name}.bson.gz`, chunks),
  );
  return { name, documents, sha256: hash.digest("hex") };
}
