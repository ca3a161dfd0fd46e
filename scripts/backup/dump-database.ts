import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sha256Schema } from "@shared/contract/ledger.ts";
import { BSON, type ClientSession, type Db, type MongoClient } from "mongodb";
import { z } from "zod";

export const MANIFEST_FILE = "manifest.json";

const savedCollectionSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]+$/),
  documents: z.number().int().nonnegative(),
  /** Of the compressed file. */
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

/**
 * Writes all collections as of one moment into a new folder: `<collection>.bson.gz` and `<collection>.metadata.json`, which
 * `mongorestore --gzip` reads as well, and a manifest with their hashes. An incomplete folder never has the final name.
 * @throws Error if the folder exists
 */
export async function dumpDatabase(options: {
  client: MongoClient;
  folder: string;
  /** Of the product. */
  version: string;
}): Promise<BackupManifest> {
  const { client, folder, version } = options;
  const draft = `${folder}.part`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const made_at = new Date().toISOString();
  const db = client.db();
  const names = await listCollections(db);
  const collections = await withLongHistory(client, () =>
    // One snapshot for all: a signal is never there without its event.
    client.withSession({ snapshot: true }, async (session) => {
      const saved: SavedCollection[] = [];
      for (const name of names) {
        saved.push(await dumpCollection({ db, name, folder: draft, session }));
      }
      return saved;
    }),
  );
  const manifest = { format: 1, made_at, version, database: db.databaseName, collections } as const;
  await writeFile(join(draft, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(draft, folder);
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

async function dumpCollection(options: {
  db: Db;
  name: string;
  folder: string;
  session: ClientSession;
}): Promise<SavedCollection> {
  const { db, name, folder, session } = options;
  const collection = db.collection(name);
  const indexes = await collection.indexes();
  const metadata = { collectionName: name, type: "collection", options: {}, indexes };
  await writeFile(join(folder, `${name}.metadata.json`), BSON.EJSON.stringify(metadata));
  let documents = 0;
  const counted = Readable.from(collection.find({}, { session, raw: true, batchSize: 1_000 })).map(
    (document: Uint8Array) => {
      documents += 1;
      return document;
    },
  );
  const hash = createHash("sha256");
  const gzip = createGzip().on("data", (chunk) => hash.update(chunk));
  await pipeline(counted, gzip, createWriteStream(join(folder, `${name}.bson.gz`)));
  return { name, documents, sha256: hash.digest("hex") };
}
