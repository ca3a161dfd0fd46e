import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Database } from "@shared/database/database.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { createMarketSequence } from "../../faults/harness/market-sequence.ts";
import { SERVER_NODE_OPTIONS } from "../../lib/services/services.ts";

export interface BenchOptions {
  database: Database;
  uri: string;
}

export type StartedProduct = Awaited<ReturnType<typeof startProduct>>;

export const newSecrets = () => ({
  JWT_SECRET: randomUUID().repeat(2),
  ADMIN_PASSWORD: randomUUID(),
});

/** Starts a server and workers as processes, by default with market data and an analyst that take no time. */
export async function startProduct(options: {
  uri: string;
  workers?: number;
  workerEntry?: string;
  env?: Record<string, string>;
}) {
  const { workerEntry = "scripts/bench/instant-worker.ts" } = options;
  const settings = newSecrets();
  const port = String(await freePort());
  const address = { MONGODB_URI: options.uri, API_PORT: port };
  const env = { ...settings, ...address, RATE_LIMIT: "off", ...options.env };
  const server = await spawnService("server", { ...env, NODE_OPTIONS: SERVER_NODE_OPTIONS });
  const workers: SpawnedService[] = [];
  while (workers.length < (options.workers ?? 1)) {
    workers.push(await spawnService("worker", env, workerEntry));
  }
  const stop = () => Promise.all([server, ...workers].map((service) => service.stop()));
  return { apiUrl: `http://localhost:${port}`, settings, server, workers, stop };
}

export function createTokens(
  database: Database,
  settings: StartedProduct["settings"],
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

/** Few of their candles close while a benchmark runs. */
const TIMEFRAMES = ["1h", "4h"];

/** Another market each time: requests for the same one would share an analysis. */
export const nextMarket = createMarketSequence(TIMEFRAMES);
