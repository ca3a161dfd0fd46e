import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@shared/node/database.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../lib/ensure-mongod.mjs";
import { ensureSchemathesis } from "../lib/ensure-schemathesis.mjs";
import { PlainError } from "../lib/plain-error.mjs";
import { fuzzApi } from "./fuzz-api.ts";

/**
 * Fuzzes the API on a database of its own that is thrown away afterwards.
 * @throws PlainError if anything was found
 */
export async function runFuzz(signal: AbortSignal): Promise<void> {
  const schemathesis = await ensureSchemathesis({ signal });
  const mongod = await ensureMongod();
  const dataDir = mkdtempSync(join(tmpdir(), "fuzz-"));
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    replSet: { count: 1, storageEngine: "wiredTiger" },
  });
  const uri = replicaSet.getUri("fuzz");
  const database = await openDatabase({ uri });
  try {
    const { passed, failures } = await fuzzApi({ database, uri, dataDir, schemathesis, signal });
    for (const line of failures) console.log(line);
    if (!passed || failures.length > 0) throw new PlainError("Fuzzing has found something.");
  } finally {
    await database.close();
    await replicaSet.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
