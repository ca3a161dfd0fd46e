import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import type { TestProject } from "vitest/node";
import { z } from "zod";
import { ensureMongod, MONGOD_PARAMETERS } from "../../scripts/lib/mongo/mongod.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the run's replica set, without a database. */
    mongoUri: string;
    /** Folder with a file for each database of the run that may be used again. */
    emptiedDatabases: string;
  }
}

const RAM_DISK = "/dev/shm";
const MIN_RAM_DISK_BYTES = 4e9;

/** A folder on the RAM disk if there is a large one: each suite's database is created there four times as fast. */
function newDatabaseFolder(): string {
  return mkdtempSync(join(hasRoom(RAM_DISK) ? RAM_DISK : tmpdir(), "test-mongo-"));
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MIN_RAM_DISK_BYTES;
}

const configSchema = z.object({ config: z.looseObject({ version: z.number() }) });

/** A write is then committed without its journal: the server's work for it halves, and no test needs it after a crash. */
async function confirmWithoutJournal(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  const admin = client.db("admin");
  const { config } = configSchema.parse(await admin.command({ replSetGetConfig: 1 }));
  const changed = { version: config.version + 1, writeConcernMajorityJournalDefault: false };
  await admin.command({ replSetReconfig: { ...config, ...changed } });
  // A majority read waits for a write after the change: without this one, up to 20 s.
  await admin.command({ appendOplogNote: 1, data: { note: "reconfigured" } });
  await client.close();
}

/** Starts one replica set for the whole run, unless there is one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const emptiedDatabases = mkdtempSync(join(tmpdir(), "emptied-databases-"));
  project.provide("emptiedDatabases", emptiedDatabases);
  const { TEST_MONGO_URI: started } = process.env;
  const replicaSet = started ? { uri: started, stop: () => undefined } : await startReplicaSet();
  project.provide("mongoUri", replicaSet.uri);
  return async () => {
    await replicaSet.stop();
    rmSync(emptiedDatabases, { recursive: true });
  };
}

async function startReplicaSet(): Promise<{ uri: string; stop: () => Promise<void> }> {
  const mongod = await ensureMongod();
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    instanceOpts: [{ dbPath: newDatabaseFolder() }],
    replSet: {
      count: 1,
      storageEngine: "wiredTiger",
      args: [
        ...MONGOD_PARAMETERS,
        // Suites set their own clocks, so documents must not expire.
        "--setParameter=ttlMonitorEnabled=false",
        // Each second, it would read the statistics of every collection of every test database.
        "--setParameter=diagnosticDataCollectionEnabled=false",
        // After ten minutes, it would spend most of its time closing the tens of thousands of tables that are idle.
        "--wiredTigerEngineConfigString=file_manager=(close_idle_time=100000)",
      ],
    },
  });
  const uri = replicaSet.getUri();
  await confirmWithoutJournal(uri);
  process.env.TEST_MONGO_URI = uri;
  return { uri, stop: () => stopAtOnce(replicaSet) };
}

/** A clean shutdown would write data for seconds that are not needed any more. */
async function stopAtOnce(replicaSet: MongoMemoryReplSet): Promise<void> {
  const running = replicaSet.servers.flatMap(
    ({ instanceInfo }) => instanceInfo?.instance.mongodProcess ?? [],
  );
  for (const server of running) {
    server.kill("SIGKILL");
    await once(server, "exit");
  }
  await replicaSet.stop({ doCleanup: true, force: true });
}
