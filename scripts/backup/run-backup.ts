import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { productVersion } from "@shared/runtime/settings.ts";
import { MongoClient } from "mongodb";
import { type BackupManifest, dumpDatabase } from "./dump-database.ts";
import { BackupError, restoreDatabase } from "./restore-database.ts";

interface Place {
  uri: string;
  folder: string;
}

/**
 * Saves the database into a new folder.
 * @returns a line that says what was saved
 * @throws BackupError if the folder exists
 */
export async function backUp({ uri, folder }: Place): Promise<string> {
  if (existsSync(folder)) throw new BackupError(`${folder} exists already.`);
  await mkdir(dirname(folder), { recursive: true });
  return withClient(uri, async (client) => {
    const manifest = await dumpDatabase({
      client,
      folder,
      now: new Date(),
      version: productVersion(),
    });
    return `Saved ${describe(manifest)} to ${folder}.`;
  });
}

/**
 * Puts a backup into the empty database at `uri`.
 * @returns a line that says what was restored
 * @throws BackupError when nothing could be restored
 */
export async function restore({ uri, folder }: Place): Promise<string> {
  return withClient(uri, async (client) => {
    const manifest = await restoreDatabase({ db: client.db(), folder });
    return `Restored ${describe(manifest)} of ${manifest.made_at}.`;
  });
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
