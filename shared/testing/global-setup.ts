import { MongoMemoryReplSet } from "mongodb-memory-server";
import type { TestProject } from "vitest/node";
import { ensureMongod } from "../../scripts/lib/mongo/ensure-mongod.mjs";
import { MONGOD_PARAMETERS } from "../../scripts/lib/mongo/replica-set.mjs";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the run's replica set, without a database. */
    mongoUri: string;
  }
}

/** Starts one replica set for the whole run. Each suite uses its own database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mongod = await ensureMongod();
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    replSet: {
      count: 1,
      storageEngine: "wiredTiger",
      // Suites set their own clocks, so documents must not expire.
      args: [...MONGOD_PARAMETERS, "--setParameter", "ttlMonitorEnabled=false"],
    },
  });
  project.provide("mongoUri", replicaSet.getUri());
  return async () => {
    await replicaSet.stop();
  };
}
