import { cpus, loadavg, totalmem } from "node:os";
import { openDatabase } from "@shared/database/database.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { CliError, type Command, EXIT_STOPPED } from "../lib/cli.ts";
import { ensureMongod, MONGOD_PARAMETERS } from "../lib/mongo/mongod.ts";
import { benchArms } from "./bench-arms.ts";
import { benchEvidence } from "./bench-evidence.ts";
import { benchFollowed } from "./bench-followed.ts";
import { benchKeys } from "./bench-keys.ts";
import { benchLoad } from "./bench-load.ts";
import { benchScaling, benchShared } from "./bench-pipeline.ts";
import { benchPrices } from "./bench-prices.ts";
import { benchSubscriptions, benchUsers } from "./bench-users.ts";
import { benchWatchlist } from "./bench-watchlist.ts";
import type { BenchOptions } from "./start-product.ts";

const BENCHMARKS = new Map<string, (options: BenchOptions) => Promise<void>>([
  ["load", benchLoad],
  ["shared", benchShared],
  ["scaling", benchScaling],
  ["users", benchUsers],
  ["subscriptions", benchSubscriptions],
  ["watchlist", benchWatchlist],
  ["prices", benchPrices],
  ["arms", benchArms],
  ["evidence", benchEvidence],
  ["keys", benchKeys],
  ["followed", benchFollowed],
]);

export async function main({ args, signal }: Command): Promise<void> {
  const [only] = args;
  if (only && !BENCHMARKS.has(only)) {
    throw new CliError(`No benchmark "${only}"; there are: ${[...BENCHMARKS.keys()].join(", ")}.`);
  }
  signal.addEventListener("abort", () => process.exit(EXIT_STOPPED));
  const { path: systemBinary, version } = await ensureMongod();
  // As `npm start` runs it: one member, everything on disk.
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary, version },
    replSet: { count: 1, storageEngine: "wiredTiger", args: MONGOD_PARAMETERS },
  });
  try {
    const memoryGb = (totalmem() / 2 ** 30).toFixed(0);
    console.log(
      `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memoryGb} GB, Node ${process.versions.node}, MongoDB ${version}`,
    );
    for (const [name, run] of BENCHMARKS) {
      if (only && name !== only) continue;
      const uri = replicaSet.getUri(`bench-${name}`);
      const database = await openDatabase({ uri });
      console.log(`\n${name}, at a load average of ${loadavg()[0]?.toFixed(1)}`);
      try {
        await run({ database, uri });
      } finally {
        await database.close();
      }
    }
  } finally {
    await replicaSet.stop();
  }
}
