import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@shared/database/database.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { findExecutables, runCommand } from "../lib/commands.ts";
import { npmCommand } from "../lib/prepare-project.mjs";
import {
  type MeasuredPipeline,
  type PipelineRun,
  pipelineColumns,
  startPipeline,
} from "./lib/measure-pipeline.ts";
import { printTable } from "./lib/report.ts";
import { startReplicaSet } from "./lib/start-product.ts";

/** Signals of one build in one round, by the number in flight. */
const SIGNALS = new Map([
  [1, 100],
  [20, 300],
  [50, 300],
]);
const ROUNDS = 5;
const MAX_IN_FLIGHT = Math.max(...SIGNALS.keys());
const BULLMQ_BUILD = "scripts/bench/bullmq/build.ts";
/** Values of `PEER_WRITES`. */
const WRITE_MODES = ["in transactions", "in turn", "together"];

interface Contestant {
  name: string;
  measure: MeasuredPipeline["measure"];
}

/**
 * Compares the product with the same job on BullMQ, Redis and socket.io's Redis adapter. The builds take turns in each round,
 * each with a MongoDB of its own, so that none carries the load of another and all have the same conditions.
 */
export async function benchBullmq(): Promise<void> {
  const [redisCommand] = findExecutables(["redis-server"]);
  if (!redisCommand) {
    console.log("\nBullMQ: skipped, there is no redis-server on the PATH (Debian: redis-server).");
    return;
  }
  await installBullmq();
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    const contestants = [await enter("this product", {}, cleanUps)];
    for (const PEER_WRITES of WRITE_MODES) {
      const env = { PEER_WRITES, REDIS_PORT: await startRedis(redisCommand, cleanUps) };
      const options = { env, serverEntry: BULLMQ_BUILD, workerEntry: BULLMQ_BUILD };
      contestants.push(await enter(`BullMQ, ${PEER_WRITES}`, options, cleanUps));
    }
    for (const { measure } of contestants) await measure({ inFlight: 20, count: 200 });
    for (const [inFlight, count] of SIGNALS) await compare(contestants, inFlight, count);
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}

async function enter(
  name: string,
  options: Omit<Parameters<typeof startPipeline>[2], "uri">,
  cleanUps: (() => Promise<unknown>)[],
): Promise<Contestant> {
  const replicaSet = await startReplicaSet();
  cleanUps.push(() => replicaSet.stop());
  const uri = replicaSet.getUri("bench");
  const database = await openDatabase({ uri });
  cleanUps.push(() => database.close());
  const { measure, stop } = await startPipeline(database, MAX_IN_FLIGHT, { uri, ...options });
  cleanUps.push(stop);
  return { name, measure };
}

/** Measures in rounds, in which the builds take turns, and prints a table. */
async function compare(
  contestants: readonly Contestant[],
  inFlight: number,
  count: number,
): Promise<void> {
  const runs = contestants.map((): PipelineRun[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { measure }] of contestants.entries()) {
      runs[index]?.push(await measure({ inFlight, count }));
    }
  }
  const columns = runs.map(pipelineColumns);
  const product = columns[0]?.["answer p50"] ?? Number.NaN;
  const rows = columns.map((column, index) => ({
    [`${inFlight} in flight`]: contestants[index]?.name ?? "",
    ...column,
    "product's p50 : its p50": product / column["answer p50"],
  }));
  const load = loadavg()[0]?.toFixed(1);
  printTable(`Side by side, ${ROUNDS} rounds in turn, milliseconds (load average ${load})`, rows);
}

async function installBullmq(): Promise<void> {
  const folder = fileURLToPath(new URL("bullmq/", import.meta.url));
  if (existsSync(join(folder, "node_modules/bullmq"))) return;
  const install = npmCommand(["install", "--no-package-lock"]);
  const { code, stderr } = await runCommand({ ...install, cwd: folder });
  if (code !== 0) throw new Error(`scripts/bench/bullmq could not be installed: ${stderr}`);
}

/** Starts a Redis that appends to a file, flushed each second. Returns its port; clients retry until it answers. */
async function startRedis(command: string, cleanUps: (() => Promise<unknown>)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bench-redis-"));
  const port = String(await freePort());
  const args = [
    ...["--port", port, "--dir", folder, "--bind", "127.0.0.1", "--save", ""],
    ...["--appendonly", "yes", "--appendfsync", "everysec"],
  ];
  const redis = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  cleanUps.push(async () => {
    const exited = once(redis, "exit");
    redis.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true });
  });
  return port;
}
