import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { sha256Schema } from "@shared/contract/ledger.ts";
import { loadWorkerSettings, productVersion, readDotEnv } from "@shared/runtime/settings.ts";
import {
  BSON,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoClient,
} from "mongodb";
import { z } from "zod";
import { CliError, type Command, parseArguments, resolveTyped } from "../lib/cli.ts";
import { withDatabase } from "../lib/mongo/embedded-mongo.ts";
import {
  type BackupFolder,
  type BackupReader,
  type BackupWriter,
  createBackupFolder,
  FOLDER_MODE,
  openBackupFolder,
} from "./backup-files.ts";

/** `create [folder]` saves all collections as of one moment; `restore <folder>` writes them into an empty database. */
export async function main({ args, say }: Command): Promise<void> {
  const usage = "Usage: npm run backup -- [folder], npm run restore -- <folder>";
  const { positionals } = parseArguments({ args: [...args], allowPositionals: true }, usage);
  const [action, given] = positionals;
  if (action === "restore" && !given) throw new CliError(usage);
  readDotEnv();
  const settings = loadWorkerSettings();
  const folder = given
    ? resolveTyped(given)
    : join(settings.DATA_DIR, "backups", new Date().toISOString().replaceAll(":", "-"));
  const work = action === "restore" ? restore : backUp;
  const { BACKUP_PASSPHRASE: passphrase } = settings;
  say(await withDatabase(settings, (uri) => work(uri, { folder, passphrase })));
}

export async function backUp(uri: string, target: BackupFolder): Promise<string> {
  const { folder, passphrase } = target;
  if (existsSync(folder)) throw new CliError(`${folder} exists already.`);
  await mkdir(dirname(folder), { recursive: true, mode: FOLDER_MODE });
  const manifest = await withClient(uri, (client) => dumpDatabase(client, target));
  return `Saved ${describe(manifest)} to ${folder}${passphrase ? ", encrypted" : ""}.`;
}

export async function restore(uri: string, source: BackupFolder): Promise<string> {
  const manifest = await withClient(uri, (client) => restoreDatabase(client.db(), source));
  return `Restored ${describe(manifest)} of ${manifest.made_at}.`;
}

function describe({ collections }: BackupManifest): string {
  const documents = collections.reduce((sum, collection) => sum + collection.documents, 0);
  return `${documents} documents in ${collections.length} collections`;
}

async function withClient<Result>(
  uri: string,
  work: (client: MongoClient) => Promise<Result>,
): Promise<Result> {
  const client = await MongoClient.connect(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const MANIFEST_FILE = "manifest.json";

const savedCollectionSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]+$/),
  documents: z.number().int().nonnegative(),
  sha256: sha256Schema,
});
type SavedCollection = z.infer<typeof savedCollectionSchema>;

const backupManifestSchema = z.object({
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
