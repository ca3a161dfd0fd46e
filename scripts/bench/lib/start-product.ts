import { randomUUID } from "node:crypto";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../../lib/mongo/ensure-mongod.mjs";
import { MONGOD_PARAMETERS } from "../../lib/mongo/replica-set.mjs";

/** A build of the job that is measured from outside: where it listens, and how its tokens are signed. */
export interface MeasuredBuild {
  apiUrl: string;
  jwtSecret: string;
  server: SpawnedService;
  stop: () => Promise<void>;
}

export const newSecrets = () => ({
  JWT_SECRET: randomUUID().repeat(2),
  ADMIN_PASSWORD: randomUUID(),
});

/** Starts one server and `workers` workers whose market data and AI cost nothing, each a process of its own. */
export async function startProduct(options: {
  uri: string;
  workers?: number;
  env?: Record<string, string>;
}): Promise<MeasuredBuild> {
  const { uri, workers = 1 } = options;
  const secrets = newSecrets();
  const port = await freePort();
  const env = {
    ...secrets,
    MONGODB_URI: uri,
    API_PORT: String(port),
    RATE_LIMIT: "off",
    ...options.env,
  };
  const server = await spawnService("server", env);
  const parts = [server];
  for (let index = 0; index < workers; index++) {
    parts.push(await spawnService("worker", env, "scripts/bench/instant-worker.ts"));
  }
  return {
    apiUrl: `http://localhost:${port}`,
    jwtSecret: secrets.JWT_SECRET,
    server,
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}

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
