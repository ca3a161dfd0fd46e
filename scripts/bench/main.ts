import { cpus, loadavg, totalmem } from "node:os";
import { openDatabase } from "@shared/database/database.ts";
import { CliError, type Command, EXIT_STOPPED } from "../lib/cli.ts";
import { benchBullmq } from "./bench-bullmq.ts";
import { benchFanout } from "./bench-fanout.ts";
import { benchLoad } from "./bench-load.ts";
import { benchScaling, benchShared } from "./bench-pipeline.ts";
import { benchHistory, benchUsers } from "./bench-reads.ts";
import { benchStartup } from "./bench-startup.ts";
import { type BenchOptions, startReplicaSet } from "./lib/start-product.ts";

const BENCHMARKS = new Map<string, (options: BenchOptions) => Promise<void>>([
  ["startup", benchStartup],
  ["load", benchLoad],
  ["peer", benchBullmq],
  ["shared", benchShared],
  ["scaling", benchScaling],
  ["fanout", benchFanout],
  ["users", benchUsers],
  ["history", benchHistory],
]);

/** Runs all benchmarks, or the one that the argument names. */
export async function main({ args, signal }: Command): Promise<void> {
  // The benchmark of the pipeline is part of the one of shared analyses.
  const only = args[0]?.replace("pipeline", "shared");
  if (only && !BENCHMARKS.has(only)) {
    throw new CliError(`No benchmark "${only}"; there are: ${[...BENCHMARKS.keys()].join(", ")}.`);
  }
  signal.addEventListener("abort", () => process.exit(EXIT_STOPPED));
  const replicaSet = await startReplicaSet();
  try {
    const memoryGb = (totalmem() / 2 ** 30).toFixed(0);
    console.log(
      `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memoryGb} GB, Node ${process.versions.node}, MongoDB ${replicaSet.binaryOpts.version}`,
    );
    for (const [name, run] of BENCHMARKS) {
      if (only && name !== only) continue;
      const uri = replicaSet.getUri(`bench-${name}`);
      const database = await openDatabase({ uri });
      console.log(`\n${name}, at a load average of ${loadavg()[0]?.toFixed(1)}`);
      await run({ database, uri });
      await database.close();
    }
  } finally {
    await replicaSet.stop();
  }
}
