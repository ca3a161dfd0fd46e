import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Database } from "@shared/database/database.ts";
import { searchKeyOf, type UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { Types } from "mongoose";
import { createMarketSequence } from "../faults/harness/trader.ts";
import { CliError } from "../lib/cli.ts";
import { SERVER_NODE_OPTIONS } from "../lib/services/supervised-service.ts";

export interface BenchOptions {
  database: Database;
  uri: string;
}

export type StartedProduct = Awaited<ReturnType<typeof startProduct>>;

/** Starts a server and workers as processes, by default with market data and an analyst that take no time. */
export async function startProduct(
  options: BenchOptions & {
    workers?: number;
    workerEntry?: string;
    env?: Record<string, string>;
  },
) {
  const { workerEntry = "scripts/bench/instant-worker.ts" } = options;
  const settings = { JWT_SECRET: randomUUID().repeat(2), ADMIN_PASSWORD: randomUUID() };
  const port = String(await freePort());
  const address = { MONGODB_URI: options.uri, API_PORT: port };
  const env = { ...settings, ...address, RATE_LIMIT: "off", ...options.env };
  const services: SpawnedService[] = [];
  const stop = () => Promise.all(services.map((service) => service.stop()));
  const start = async (...spawned: Parameters<typeof spawnService>) => {
    const service = await spawnService(...spawned);
    services.push(service);
    return service;
  };
  /** Of new users who may request signals. */
  const createTokens = async (count: number): Promise<string[]> => {
    const create = () => createUser(options.database, { approved: true });
    const users = await Promise.all(Array.from({ length: count }, create));
    return users.map((user) => signTokenFor(user, settings));
  };
  try {
    const server = await start("server", { ...env, NODE_OPTIONS: SERVER_NODE_OPTIONS });
    const workers: SpawnedService[] = [];
    while (workers.length < (options.workers ?? 1)) {
      workers.push(await start("worker", env, workerEntry));
    }
    return { apiUrl: `http://localhost:${port}`, settings, createTokens, server, workers, stop };
  } catch (error) {
    await stop();
    throw new CliError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Users like the first one, to be stored at once. */
export const copyUsers = (template: UserRecord, count: number): UserRecord[] =>
  Array.from({ length: count }, () => {
    const _id = new Types.ObjectId();
    const username = `user-${_id}`;
    const email = `${username}@example.com`;
    const names = { usernameKey: username, emailKey: email };
    const keys = { ...names, searchKey: searchKeyOf(names), identityId: _id.toString() };
    return { ...template, _id, username, email, ...keys };
  });

/** Resident memory of a process, on Linux. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

const MS_PER_TICK = 10;

/** CPU time that a process has used, on Linux. */
export async function cpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Another market each time: requests for the same one would share an analysis. Few candles close while a benchmark runs. */
export const nextMarket = createMarketSequence(["1h", "4h"]);

type Cell = string | number;

export function printTable(title: string, rows: readonly Record<string, Cell>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(columns.map((column) => formatCell(row[column] ?? ""))));
  console.log(`\n${title}\n`);
  console.log([line(columns), line(columns.map(() => "---")), ...body].join("\n"));
}

/** A measurement on a shared machine is good for three digits. */
function formatCell(cell: Cell): string {
  if (typeof cell === "string") return cell;
  return Math.abs(cell) >= 100 || Number.isInteger(cell)
    ? Math.round(cell).toLocaleString("en-US")
    : String(Number(cell.toPrecision(3)));
}

/** Percentile by the nearest-rank method; `share` is from 0 to 1. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
