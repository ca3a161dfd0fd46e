import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { withLock } from "../lib/process-lock.mjs";
import { cacheFolder, findExecutables, isExecutable, runCommand } from "../lib/run-command.ts";

const CONFIG = fileURLToPath(new URL("schemathesis.toml", import.meta.url));

/**
 * Sends to every route what its description allows and forbids, as an administrator with all rights, to a server and a worker
 * with recorded candles.
 */
it("schemathesis finds no violation of the API's own description", async () => {
  const schemathesis = await ensureSchemathesis();
  const dataDir = mkdtempSync(join(tmpdir(), "fuzz-"));
  const uri = newDatabaseUri("fuzz");
  const database = await openDatabase({ uri });
  const apiUrl = `http://localhost:${await freePort()}`;
  const secrets = { JWT_SECRET: randomUUID().repeat(2), ADMIN_PASSWORD: randomUUID() };
  const env = {
    ...secrets,
    MONGODB_URI: uri,
    DATA_DIR: dataDir,
    API_PORT: new URL(apiUrl).port,
    MARKET_DATA: "replay",
    RATE_LIMIT: "off",
  };
  const services = [await spawnService("server", env), await spawnService("worker", env)];
  onTestFinished(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const data = await createFuzzData({ database, settings: secrets, apiUrl });
  const { code } = await runCommand({
    command: schemathesis,
    args: ["--config-file", CONFIG, "run", `${apiUrl}/openapi.json`],
    // It writes notes for its next run into the current folder.
    cwd: dataDir,
    env: { ...process.env, ...data },
    output: "inherit",
  });
  expect(services.flatMap(errorsOf)).toEqual([]);
  expect(code).toBe(0);
}, 1_200_000);

/** Log lines of level `error` or above, and lines that are no log entries. */
const errorsOf = ({ lines }: SpawnedService): string[] =>
  lines.filter((line) => !line.startsWith("{") || /"level":[56]0/.test(line));

/**
 * Stores users, files and signals, so that not every made-up name ends in a 404.
 * @returns environment variables that `schemathesis.toml` refers to
 */
async function createFuzzData(options: {
  database: Database;
  settings: Pick<Settings, "JWT_SECRET">;
  apiUrl: string;
}): Promise<Record<string, string>> {
  const { database, settings, apiUrl } = options;
  const rights = { approved: true, allowImageUpload: true, imageCredits: 1_000_000 };
  const admin = await createUser(database, { role: "admin", ...rights });
  const trader = await createUser(database, rights);
  const image = await chartImage(1).png().toBuffer();
  const upload = (path: string, fields: Parameters<typeof multipartForm>[0]) =>
    expectAnswer(z.unknown(), apiUrl + path, {
      token: signTokenFor(trader, settings),
      body: multipartForm(fields),
    });
  await upload("/submit-payment-proof", { sender_name: "Ann Smith", proof_image: image });
  await upload("/get-signal-with-image", {
    symbol: "BTC/USDT",
    timeframe: "1h",
    chart_image: image,
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

/** Fixed, so that a new release finds new things only on purpose. */
const VERSION = "4.32.5";

/** Path of schemathesis, which is installed into a Python environment of its own on first use. */
async function ensureSchemathesis(): Promise<string> {
  const isWindows = process.platform === "win32";
  const folder = join(cacheFolder(), `schemathesis-${VERSION}`);
  const bin = join(folder, isWindows ? "Scripts" : "bin");
  const program = join(bin, isWindows ? "schemathesis.exe" : "schemathesis");
  if (isExecutable(program)) return program;
  const [python] = findExecutables(["python3", "python"]);
  if (!python) throw new Error("Python 3.11 or newer is needed: there is no python3.");
  return withLock(folder, async () => {
    if (isExecutable(program)) return program;
    console.log(`Installing schemathesis ${VERSION} from PyPI (only once) ...`);
    mkdirSync(dirname(folder), { recursive: true });
    try {
      await runOrThrow(python, ["-m", "venv", "--clear", folder]);
      const install = ["install", "--quiet", `schemathesis==${VERSION}`];
      await runOrThrow(join(bin, isWindows ? "pip.exe" : "pip"), install);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return program;
  });
}

async function runOrThrow(command: string, args: string[]): Promise<void> {
  const { code, stderr } = await runCommand({ command, args });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stderr.trim()}`);
}
