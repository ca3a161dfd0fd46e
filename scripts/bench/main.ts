import { cpus } from "node:os";
import { openDatabase } from "@shared/node/database.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../lib/ensure-mongod.mjs";
import { benchLoad } from "./bench-load.ts";
import { benchPipeline } from "./bench-pipeline.ts";

/** `npm run bench -- load` runs one of them alone. */
const only = process.argv[2];
const mongod = await ensureMongod();
const replicaSet = await MongoMemoryReplSet.create({
  binary: { systemBinary: mongod.path, version: mongod.version },
  replSet: {
    count: 1,
    storageEngine: "wiredTiger",
    args: ["--setParameter", "transactionLifetimeLimitSeconds=10"],
  },
});
const uri = replicaSet.getUri("bench");
const database = await openDatabase({ uri });
try {
  const [cpu] = cpus();
  console.log(
    `${cpus().length} × ${cpu?.model.trim()}, Node ${process.versions.node}, MongoDB ${mongod.version}`,
  );
  if (!only || only === "pipeline") await benchPipeline({ database, uri });
  if (!only || only === "load") await benchLoad({ database, uri });
} finally {
  await database.close();
  await replicaSet.stop();
}
