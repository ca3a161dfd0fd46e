import { randomUUID } from "node:crypto";
import type { Database } from "@shared/node/database.ts";
import { loadSettings } from "@shared/node/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort } from "@shared/testing/free-port.ts";
import { PushClient } from "@shared/testing/push-client.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";
import { type BenchTrader, measurePipeline, type PipelineRun } from "./measure-pipeline.ts";
import { percentile } from "./percentiles.ts";

const IN_FLIGHT = [1, 20, 50] as const;
const WARM_UP = 200;
const SIGNALS_PER_RUN = 500;
const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/**
 * Measures the pipeline's own share of a signal: request in, REST answer and push out, while market data and
 * analysis cost nothing. One server and one worker, each a process of its own.
 */
export async function benchPipeline(options: { database: Database; uri: string }): Promise<void> {
  const secrets = { JWT_SECRET: randomUUID().repeat(2), ADMIN_PASSWORD: randomUUID() };
  const port = await freePort();
  const env = {
    ...secrets,
    MONGODB_URI: options.uri,
    API_PORT: String(port),
    RATE_LIMIT: "off",
    LOG_LEVEL: "info",
  };
  const parts: SpawnedPart[] = [
    await spawnPart("server", env),
    await spawnPart("worker", env, "scripts/bench/instant-worker.ts"),
  ];
  const apiUrl = `http://localhost:${port}`;
  const traders = await signUpTraders({ ...options, apiUrl, jwtSecret: secrets.JWT_SECRET });
  try {
    await measurePipeline({ apiUrl, traders, inFlight: 20, count: WARM_UP });
    const runs: PipelineRun[] = [];
    for (const inFlight of IN_FLIGHT) {
      runs.push(await measurePipeline({ apiUrl, traders, inFlight, count: SIGNALS_PER_RUN }));
    }
    console.log(`Pipeline overhead, ${SIGNALS_PER_RUN} signals a row, milliseconds:`);
    console.table(runs.map(toRow));
  } finally {
    for (const trader of traders) trader.push.close();
    await Promise.all(parts.map((part) => part.stop()));
  }
}

async function signUpTraders(options: {
  database: Database;
  apiUrl: string;
  jwtSecret: string;
}): Promise<BenchTrader[]> {
  const settings = loadSettings({ JWT_SECRET: options.jwtSecret, ADMIN_PASSWORD: "not used" });
  const most = Math.max(...IN_FLIGHT);
  return Promise.all(
    Array.from({ length: most }, async () => {
      const user = await createUser(options.database, { approved: true });
      const token = signTokenFor(user, settings);
      return { token, push: new PushClient({ url: options.apiUrl, token, since: { user: 0 } }) };
    }),
  );
}

function toRow({ inFlight, signalsPerSecond, times }: PipelineRun) {
  const row: Record<string, number> = { "in flight": inFlight };
  for (const [name, share] of Object.entries(SHARES)) {
    row[`answer ${name}`] = round(
      percentile(
        times.map((time) => time.answerMs),
        share,
      ),
    );
    row[`push ${name}`] = round(
      percentile(
        times.map((time) => time.pushMs),
        share,
      ),
    );
  }
  row["signals/s"] = round(signalsPerSecond);
  return row;
}

const round = (value: number): number => Math.round(value * 10) / 10;
