import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@shared/database/database.ts";
import { freePort, spawnService } from "@shared/testing/spawn-service.ts";
import { findExecutables, npmCommand, runCommand } from "../lib/commands.mjs";
import { pipelineColumns } from "./bench-pipeline.ts";
import {
  type BenchTrader,
  measurePipeline,
  type PipelineRun,
  signUpTraders,
  summarizeRuns,
} from "./lib/measure-pipeline.ts";
import { printTable } from "./lib/report.ts";
import {
  type MeasuredBuild,
  newSecrets,
  startProduct,
  startReplicaSet,
} from "./lib/start-product.ts";

/** Signals of one build in one round, by how many are in flight. */
const SIGNALS = new Map([
  [1, 100],
  [20, 300],
  [50, 300],
]);
const ROUNDS = 5;
const MOST_IN_FLIGHT = Math.max(...SIGNALS.keys());
const PRODUCT = "this product";

interface Contestant {
  name: string;
  build: MeasuredBuild;
  traders: BenchTrader[];
  /** By how many are in flight. */
  runs: Map<number, PipelineRun[]>;
  stop: () => Promise<void>;
}

/**
 * Measures the product and the same job on BullMQ, Redis and socket.io's Redis adapter side by side: in turn, round
 * by round, each with a MongoDB of its own, so that neither carries the other's load and both have the same weather.
 */
export async function benchBullmq(): Promise<void> {
  const redisCommand = findRedis();
  if (!redisCommand) {
    console.log(
      "\nBullMQ: left out, as there is no redis-server on the PATH (Debian: redis-server).",
    );
    return;
  }
  await installBullmq();
  const contestants: Contestant[] = [];
  try {
    contestants.push(await enter(PRODUCT, (uri) => startProduct({ uri })));
    for (const writes of ["in-transactions", "in-turn", "together"]) {
      const start = (uri: string) => startBullmq({ uri, redisCommand, writes });
      contestants.push(await enter(`BullMQ, writes ${writes.replace("-", " ")}`, start));
    }
    for (const contestant of contestants) await measure(contestant, 20, 200);
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
  const traders = await signUpTraders({ database, ...build, count: MOST_IN_FLIGHT });
  return {
    ...{ name, build, traders },
    runs: new Map(),
    async stop() {
      for (const trader of traders) trader.push.close();
      await build.stop();
      await database.close();
      await replicaSet.stop();
    },
  };
}

async function measureRound(contestants: Contestant[]): Promise<void> {
  for (const [inFlight, count] of SIGNALS) {
    for (const contestant of contestants) {
      const run = await measure(contestant, inFlight, count);
      contestant.runs.set(inFlight, [...(contestant.runs.get(inFlight) ?? []), run]);
    }
  }
}

const measure = (
  { build, traders }: Contestant,
  inFlight: number,
  count: number,
): Promise<PipelineRun> => measurePipeline({ apiUrl: build.apiUrl, traders, inFlight, count });

function printComparison(contestants: Contestant[], inFlight: number): void {
  const summaries = contestants.map(({ name, runs }) => ({
    name,
    summary: summarizeRuns(runs.get(inFlight) ?? []),
  }));
  const product = summaries.find(({ name }) => name === PRODUCT)?.summary.answerP50 ?? Number.NaN;
  const rows = summaries.map(({ name, summary }) => ({
    [`${inFlight} in flight`]: name,
    ...pipelineColumns(summary),
    "product's p50 : its p50": product / summary.answerP50,
  }));
  const load = (loadavg()[0] ?? Number.NaN).toFixed(1);
  printTable(`Side by side, ${ROUNDS} rounds in turn, milliseconds (load average ${load})`, rows);
}

const FOLDER = fileURLToPath(new URL("bullmq/", import.meta.url));

/** Installs the packages of the build on BullMQ into its own folder, if they are missing. */
async function installBullmq(): Promise<void> {
  if (existsSync(`${FOLDER}node_modules/bullmq`)) return;
  const install = npmCommand(["install", "--no-package-lock"]);
  const { code, stderr } = await runCommand({ ...install, cwd: FOLDER });
  if (code !== 0)
    throw new Error(`the packages of scripts/bench/bullmq did not install: ${stderr}`);
}

/** Starts server and worker of the build on BullMQ, with a Redis of their own. */
async function startBullmq(options: {
  uri: string;
  redisCommand: string;
  /** As `PEER_WRITES` in `bullmq/store.ts`. */
  writes: string;
}): Promise<MeasuredBuild> {
  const { uri, redisCommand, writes } = options;
  const redis = await startRedis(redisCommand);
  const secrets = newSecrets();
  const port = await freePort();
  const env = {
    ...secrets,
    MONGODB_URI: uri,
    API_PORT: String(port),
    REDIS_PORT: String(redis.port),
    PEER_WRITES: writes,
  };
  const server = await spawnService("server", env, "scripts/bench/bullmq/server.ts");
  const worker = await spawnService("worker", env, "scripts/bench/bullmq/worker.ts");
  return {
    apiUrl: `http://localhost:${port}`,
    jwtSecret: secrets.JWT_SECRET,
    server,
    async stop() {
      await Promise.all([server.stop(), worker.stop()]);
      await redis.stop();
    },
  };
}

/** The `redis-server` on the PATH; undefined where there is none. */
const findRedis = (): string | undefined => findExecutables(["redis-server"])[0];

/** Starts Redis with what Debian ships, kept on disk as queues are: append-only file, flushed each second. */
async function startRedis(command: string): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "bench-redis-"));
  const port = await freePort();
  const settings = { port, dir: folder, bind: "127.0.0.1", save: "", appendonly: "yes" };
  const args = Object.entries({ ...settings, appendfsync: "everysec" });
  const child = spawn(
    command,
    args.flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  if (child.exitCode !== null) throw new Error("redis-server ended at once");
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
