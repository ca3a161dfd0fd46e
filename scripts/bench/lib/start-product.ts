import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Database } from "@shared/database/database.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../../lib/mongo/ensure-mongod.ts";
import { MONGOD_PARAMETERS } from "../../lib/mongo/mongod-process.ts";
import { SERVER_NODE_OPTIONS } from "../../lib/services/services.ts";

export interface BenchOptions {
  database: Database;
  uri: string;
}

export interface MeasuredBuild {
  apiUrl: string;
  settings: Pick<Settings, "JWT_SECRET">;
  server: SpawnedService;
  workers: SpawnedService[];
  stop: () => Promise<unknown>;
}

export const newSecrets = () => ({
  JWT_SECRET: randomUUID().repeat(2),
  ADMIN_PASSWORD: randomUUID(),
});

/** Starts a server and workers as processes, by default with market data and an analyst that take no time. */
export async function startProduct(options: {
  uri: string;
  workers?: number;
  serverEntry?: string;
  workerEntry?: string;
  env?: Record<string, string>;
}): Promise<MeasuredBuild> {
  const { workerEntry = "scripts/bench/instant-worker.ts" } = options;
  const settings = newSecrets();
  const port = String(await freePort());
  const address = { MONGODB_URI: options.uri, API_PORT: port };
  const env = { ...settings, ...address, RATE_LIMIT: "off", ...options.env };
  const serverEnv = { ...env, NODE_OPTIONS: SERVER_NODE_OPTIONS };
  const server = await spawnService("server", serverEnv, options.serverEntry);
  const workers: SpawnedService[] = [];
  while (workers.length < (options.workers ?? 1)) {
    workers.push(await spawnService("worker", { ...env, BENCH_SERVICE: "worker" }, workerEntry));
  }
  const stop = () => Promise.all([server, ...workers].map((service) => service.stop()));
  return { apiUrl: `http://localhost:${port}`, settings, server, workers, stop };
}

/** Tokens of new approved traders. */
export function createTokens(
  database: Database,
  settings: MeasuredBuild["settings"],
  count: number,
): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () =>
      signTokenFor(await createUser(database, { approved: true }), settings),
    ),
  );
}

/** Resident memory of a process, on Linux. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

/** Starts an empty MongoDB with the parameters of `npm start`: one member, everything on disk. */
export async function startReplicaSet(): Promise<MongoMemoryReplSet> {
  const { path: systemBinary, version } = await ensureMongod();
  return MongoMemoryReplSet.create({
    binary: { systemBinary, version },
    replSet: { count: 1, storageEngine: "wiredTiger", args: MONGOD_PARAMETERS },
  });
}
