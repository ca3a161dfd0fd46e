import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@shared/database/database.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { findExecutables, npmCommand, runCommand } from "../lib/commands.mjs";
import {
  measurePipeline,
  type PipelineRun,
  pipelineColumns,
  signUpTraders,
} from "./lib/measure-pipeline.ts";
import { printTable } from "./lib/report.ts";
import { type MeasuredBuild, startProduct, startReplicaSet } from "./lib/start-product.ts";

/** Signals of one build in one round, by the number in flight. */
const SIGNALS = new Map([
  [1, 100],
  [20, 300],
  [50, 300],
]);
const ROUNDS = 5;
const MAX_IN_FLIGHT = Math.max(...SIGNALS.keys());
const PRODUCT = "this product";
const WRITE_MODES = ["in-transactions", "in-turn", "together"];

interface Contestant {
  name: string;
  measure: (inFlight: number, count: number) => Promise<PipelineRun>;
  runs: Map<number, PipelineRun[]>;
  stop: () => Promise<void>;
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
  const contestants: Contestant[] = [];
  try {
    contestants.push(await enter(PRODUCT, (uri) => startProduct({ uri })));
    for (const writes of WRITE_MODES) {
      const start = (uri: string) => startBullmq({ uri, redisCommand, writes });
      contestants.push(await enter(`BullMQ, writes ${writes.replace("-", " ")}`, start));
    }
    for (const { measure } of contestants) await measure(20, 200);
    for (let round = 0; round < ROUNDS; round++) await measureRound(contestants);
    for (const inFlight of SIGNALS.keys()) printComparison(contestants, inFlight);
  } finally {
    for (const contestant of contestants) await contestant.stop();
  }
}

async function enter(
  name: string,
  start: (uri: string) => Promise<MeasuredBuild>,
): Promise<Contestant> {
  const replicaSet = await startReplicaSet();
  const uri = replicaSet.uri("bench");
  const database = await openDatabase({ uri });
  const build = await start(uri);
  const traders = await signUpTraders(build, database, MAX_IN_FLIGHT);
  const { apiUrl } = build;
  return {
    name,
    measure: (inFlight, count) => measurePipeline({ apiUrl, traders, inFlight, count }),
    runs: new Map(),
    async stop() {
      for (const trader of traders) trader.push.close();
      await build.stop();
      await database.close();
      await replicaSet.stop();
    },
  };
}

async function measureRound(contestants: readonly Contestant[]): Promise<void> {
  for (const [inFlight, count] of SIGNALS) {
    for (const { measure, runs } of contestants) {
      runs.set(inFlight, [...(runs.get(inFlight) ?? []), await measure(inFlight, count)]);
    }
  }
}

function printComparison(contestants: readonly Contestant[], inFlight: number): void {
  const columns = contestants.map(({ runs }) => pipelineColumns(runs.get(inFlight) ?? []));
  const product = columns[0]?.["answer p50"] ?? Number.NaN;
  const rows = columns.map((column, index) => ({
    [`${inFlight} in flight`]: contestants[index]?.name ?? "",
    ...column,
    "product's p50 : its p50": product / column["answer p50"],
  }));
  const load = (loadavg()[0] ?? Number.NaN).toFixed(1);
  printTable(`Side by side, ${ROUNDS} rounds in turn, milliseconds (load average ${load})`, rows);
}

const FOLDER = fileURLToPath(new URL("bullmq/", import.meta.url));

async function installBullmq(): Promise<void> {
  if (existsSync(`${FOLDER}node_modules/bullmq`)) return;
  const install = npmCommand(["install", "--no-package-lock"]);
  const { code, stderr } = await runCommand({ ...install, cwd: FOLDER });
  if (code !== 0) throw new Error(`scripts/bench/bullmq could not be installed: ${stderr}`);
}

/** @param options.writes a value of `PEER_WRITES` in `bullmq/store.ts` */
async function startBullmq(options: {
  uri: string;
  redisCommand: string;
  writes: string;
}): Promise<MeasuredBuild> {
  const { uri, redisCommand, writes } = options;
  const redis = await startRedis(redisCommand);
  const build = await startProduct({
    uri,
    serverEntry: "scripts/bench/bullmq/server.ts",
    workerEntry: "scripts/bench/bullmq/worker.ts",
    env: { REDIS_PORT: String(redis.port), PEER_WRITES: writes },
  });
  return {
    ...build,
    async stop() {
      await build.stop();
      await redis.stop();
    },
  };
}

async function startRedis(command: string): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "bench-redis-"));
  const port = await freePort();
  const args = [
    ...["--port", String(port), "--dir", folder, "--bind", "127.0.0.1", "--save", ""],
    ...["--appendonly", "yes", "--appendfsync", "everysec"],
  ];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  if (child.exitCode !== null) throw new Error("redis-server exited at once");
  child.stdout.resume();
  return {
    port,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
