import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { loadSettings, type Settings } from "@shared/runtime/settings.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { CliError } from "../lib/cli.mjs";
import { runCommand } from "../lib/commands.mjs";
import { ensureMongod } from "../lib/mongo/ensure-mongod.mjs";
import { ensureSchemathesis } from "./ensure-schemathesis.mjs";

/**
 * Fuzzes the API on a database of its own that is thrown away afterwards.
 * @throws CliError if anything was found
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
    if (!passed || failures.length > 0) throw new CliError("Fuzzing has found something.");
  } finally {
    await database.close();
    await replicaSet.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const CONFIG = fileURLToPath(new URL("schemathesis.toml", import.meta.url));

/**
 * Lets schemathesis send to every route what its description allows and what it forbids, as an administrator who
 * may do everything. One server and one worker with recorded candles, each a process of its own.
 * @returns what the server wrote about failures of its own, and whether schemathesis found nothing
 */
export async function fuzzApi(options: {
  database: Database;
  uri: string;
  dataDir: string;
  schemathesis: string;
  signal: AbortSignal;
}): Promise<{ passed: boolean; failures: string[] }> {
  const { database, uri, dataDir, schemathesis, signal } = options;
  const secrets = { JWT_SECRET: randomUUID().repeat(2), ADMIN_PASSWORD: randomUUID() };
  const port = await freePort();
  const env = {
    ...secrets,
    MONGODB_URI: uri,
    DATA_DIR: dataDir,
    API_PORT: String(port),
    MARKET_DATA: "replay",
    RATE_LIMIT: "off",
  };
  const parts: SpawnedService[] = [
    await spawnService("server", env),
    await spawnService("worker", env),
  ];
  try {
    const apiUrl = `http://localhost:${port}`;
    const data = await makeFuzzData({ database, settings: loadSettings(env), apiUrl });
    const { code } = await runCommand({
      command: schemathesis,
      args: ["--config-file", CONFIG, "run", `${apiUrl}/openapi.json`],
      // It leaves notes for its next run where it is started.
      cwd: dataDir,
      env: { ...process.env, ...data },
      output: "inherit",
      signal,
    });
    return { passed: code === 0, failures: parts.flatMap(failuresOf) };
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
}

/** Lines of at least the level `error`, and whatever is no log line at all. */
function failuresOf({ lines }: SpawnedService): string[] {
  return lines.filter((line) => !line.startsWith("{") || /"level":[56]0/.test(line));
}

/**
 * An administrator who may do everything, and a trader with a signal and files for him to work on; so that not every
 * made-up name ends in a 404.
 * @returns environment variables that `schemathesis.toml` refers to
 */
export async function makeFuzzData(options: {
  database: Database;
  settings: Settings;
  apiUrl: string;
}): Promise<Record<string, string>> {
  const { database, settings, apiUrl } = options;
  const rights = { approved: true, allowImageUpload: true, imageCredits: 1_000_000 };
  const admin = await createUser(database, { role: "admin", ...rights });
  const trader = await createUser(database, rights);
  const picture = await chartImage(1).png().toBuffer();
  const send = async (path: string, fields: Parameters<typeof multipartForm>[0]) => {
    const headers = { Authorization: `Bearer ${signTokenFor(trader, settings)}` };
    const body = multipartForm(fields);
    const answer = await fetch(apiUrl + path, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  await send("/submit-payment-proof", { sender_name: "Ann Smith", proof_image: picture });
  await send("/get-signal-with-image", {
    symbol: "BTC/USDT",
    timeframe: "1h",
    chart_image: picture,
  });
  const [proof, chart, [signal]] = await Promise.all([
    database.paymentProofs.findOne({ userId: trader._id }).lean(),
    database.chartImages.findOne({ userId: trader._id }).lean(),
    createSignals(database, admin),
  ]);
  return {
    FUZZ_TOKEN: signTokenFor(admin, settings),
    FUZZ_USERNAME: trader.username,
    FUZZ_SIGNAL: String(signal?._id),
    FUZZ_PROOF: String(proof?.filename),
    FUZZ_CHART: String(chart?.filename),
  };
}
