import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { freePort } from "@shared/testing/free-port.ts";
import { spawnPart } from "@shared/testing/spawn-part.ts";
import { npmCommand } from "../lib/npm-command.mjs";
import { runCommand } from "../lib/run-command.mjs";
import { type MeasuredBuild, newSecrets } from "./start-product.ts";
import { startRedis } from "./start-redis.ts";

const FOLDER = fileURLToPath(new URL("bullmq/", import.meta.url));

/** Installs the packages of the build on BullMQ into its own folder, if they are missing. */
export async function installPeer(): Promise<void> {
  if (existsSync(`${FOLDER}node_modules/bullmq`)) return;
  const install = npmCommand(["install", "--no-package-lock"]);
  const { code, stderr } = await runCommand({ ...install, cwd: FOLDER });
  if (code !== 0)
    throw new Error(`the packages of scripts/bench/bullmq did not install: ${stderr}`);
}

/** Starts server and worker of the build on BullMQ, with a Redis of their own. */
export async function startPeer(options: {
  uri: string;
  redisCommand: string;
  /** As `PEER_WRITES` in `bullmq/peer-env.ts`. */
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
  const server = await spawnPart("server", env, "scripts/bench/bullmq/peer-server.ts");
  const worker = await spawnPart("worker", env, "scripts/bench/bullmq/peer-worker.ts");
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
