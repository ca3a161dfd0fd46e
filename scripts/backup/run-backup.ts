import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadWorkerSettings, readDotEnv } from "@shared/runtime/settings.ts";
import { MongoClient } from "mongodb";
import { CliError, type Command, resolveTyped } from "../lib/cli.ts";
import { withDatabase } from "../lib/mongo/embedded-mongo.ts";
import { type BackupFolder, FOLDER_MODE } from "./backup-files.ts";
import { type BackupManifest, dumpDatabase, restoreDatabase } from "./restore-database.ts";

/** `create [folder]` saves all collections as of one moment; `restore <folder>` writes them into an empty database. */
export async function main({ args, say }: Command): Promise<void> {
  const [action, given] = args;
  if (action === "restore" && !given)
    throw new CliError("Which folder? npm run restore -- <folder>");
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
