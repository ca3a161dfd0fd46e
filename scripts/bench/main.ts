import { cpus, loadavg, totalmem } from "node:os";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { whenNpmExits } from "../lib/cli.mjs";
import { benchBullmq } from "./bench-bullmq.ts";
import { benchFanout } from "./bench-fanout.ts";
import { benchLoad } from "./bench-load.ts";
import { benchPipeline, benchScaling, benchShared } from "./bench-pipeline.ts";
import { benchHistory, benchUsers } from "./bench-reads.ts";
import { benchStartup } from "./bench-startup.ts";
import { startReplicaSet } from "./lib/start-product.ts";

type Bench = (options: { database: Database; uri: string }) => Promise<void>;

/** In this order; each has a database of its own. */
const benches: Record<string, Bench> = {
  startup: benchStartup,
  pipeline: benchPipeline,
  load: benchLoad,
  peer: benchBullmq,
  shared: benchShared,
  scaling: benchScaling,
  fanout: benchFanout,
  users: benchUsers,
  history: benchHistory,
};

/** `npm run bench -- pipeline` runs one of them alone. */
const [, , only] = process.argv;
const chosen = Object.entries(benches).filter(([name]) => !only || only === name);
if (chosen.length === 0) throw new Error(`there is no ${only}, only ${Object.keys(benches)}`);
whenNpmExits(() => process.kill(process.pid, "SIGTERM"));
const replicaSet = await startReplicaSet();
try {
  const [cpu] = cpus();
  const memoryGb = (totalmem() / 2 ** 30).toFixed(0);
  console.log(
    `${cpus().length} × ${cpu?.model.trim()}, ${memoryGb} GB, Node ${process.versions.node}, MongoDB ${replicaSet.version}`,
  );
  for (const [name, run] of chosen) {
    const uri = replicaSet.uri(`bench-${name}`);
    const database = await openDatabase({ uri });
    const [load = Number.NaN] = loadavg();
    console.log(`\n${name}, at a load average of ${load.toFixed(1)} when it began`);
    await run({ database, uri });
    await database.close();
  }
} finally {
  await replicaSet.stop();
}
