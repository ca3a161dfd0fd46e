import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../lib/ensure-mongod.mjs";
import { MONGOD_PARAMETERS } from "../lib/mongod-parameters.mjs";

/** A new, empty MongoDB as `npm start` runs it: one member, everything on disk, gone again at the end. */
export async function startReplicaSet(): Promise<{
  version: string;
  uri: (database: string) => string;
  stop: () => Promise<void>;
}> {
  const mongod = await ensureMongod();
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    replSet: {
      count: 1,
      storageEngine: "wiredTiger",
      args: [...MONGOD_PARAMETERS],
    },
  });
  return {
    version: mongod.version,
    uri: (database) => replicaSet.getUri(database),
    stop: async () => {
      await replicaSet.stop();
    },
  };
}
