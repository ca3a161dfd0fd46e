import { randomUUID } from "node:crypto";
import { freePort } from "@shared/testing/free-port.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";

/** A build of the job that is measured from outside: where it listens, and how its tokens are signed. */
export interface MeasuredBuild {
  apiUrl: string;
  jwtSecret: string;
  server: SpawnedPart;
  stop: () => Promise<void>;
}

export const newSecrets = () => ({
  JWT_SECRET: randomUUID().repeat(2),
  ADMIN_PASSWORD: randomUUID(),
});

/** Starts one server and `workers` workers whose market data and AI cost nothing, each a process of its own. */
export async function startProduct(options: {
  uri: string;
  workers?: number;
  env?: Record<string, string>;
}): Promise<MeasuredBuild> {
  const { uri, workers = 1 } = options;
  const secrets = newSecrets();
  const port = await freePort();
  const env = {
    ...secrets,
    MONGODB_URI: uri,
    API_PORT: String(port),
    RATE_LIMIT: "off",
    ...options.env,
  };
  const server = await spawnPart("server", env);
  const parts = [server];
  for (let index = 0; index < workers; index++) {
    parts.push(await spawnPart("worker", env, "scripts/bench/instant-worker.ts"));
  }
  return {
    apiUrl: `http://localhost:${port}`,
    jwtSecret: secrets.JWT_SECRET,
    server,
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
