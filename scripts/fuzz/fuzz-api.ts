import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Database } from "@shared/node/database.ts";
import { loadSettings } from "@shared/node/settings.ts";
import { freePort } from "@shared/testing/free-port.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";
import { runCommand } from "../lib/run-command.mjs";
import { makeFuzzData } from "./make-fuzz-data.ts";

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
  const parts: SpawnedPart[] = [await spawnPart("server", env), await spawnPart("worker", env)];
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
function failuresOf({ lines }: SpawnedPart): string[] {
  return lines.filter((line) => !line.startsWith("{") || /"level":[56]0/.test(line));
}
