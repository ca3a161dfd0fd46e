import { loadavg } from "node:os";
import { openDatabase } from "@shared/node/database.ts";
import { pipelineColumns } from "./bench-pipeline.ts";
import { type BenchTrader, measurePipeline, type PipelineRun } from "./measure-pipeline.ts";
import { printTable } from "./print-table.ts";
import { signUpTraders } from "./sign-up-traders.ts";
import { installPeer, startPeer } from "./start-peer.ts";
import { type MeasuredBuild, startProduct } from "./start-product.ts";
import { findRedis } from "./start-redis.ts";
import { startReplicaSet } from "./start-replica-set.ts";
import { summarizeRuns } from "./summarize-runs.ts";

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
export async function benchPeer(): Promise<void> {
  const redisCommand = findRedis();
  if (!redisCommand) {
    console.log(
      "\nBullMQ: left out, as there is no redis-server on the PATH (Debian: redis-server).",
    );
    return;
  }
  await installPeer();
  const contestants: Contestant[] = [];
  try {
    contestants.push(await enter(PRODUCT, (uri) => startProduct({ uri })));
    for (const writes of ["in-transactions", "in-turn", "together"]) {
      const start = (uri: string) => startPeer({ uri, redisCommand, writes });
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
