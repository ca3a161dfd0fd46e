import { once } from "node:events";
import { existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import type { TestProject } from "vitest/node";
import { ensureMongod, MONGOD_PARAMETERS } from "../../scripts/lib/mongo/mongod.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the run's replica set, without a database. */
    mongoUri: string;
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

/** Starts one replica set for the whole run, which its projects share. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { TEST_MONGO_URI: started } = process.env;
  if (started) {
    project.provide("mongoUri", started);
    return;
  }
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
      ],
    },
  });
  process.env.TEST_MONGO_URI = replicaSet.getUri();
  project.provide("mongoUri", replicaSet.getUri());
  return async () => {
    // A clean shutdown would write data for seconds that are not needed any more.
    const running = replicaSet.servers.flatMap(
      ({ instanceInfo }) => instanceInfo?.instance.mongodProcess ?? [],
    );
    for (const server of running) {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
    await replicaSet.stop({ doCleanup: true, force: true });
  };
}
