import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import type { Database } from "@shared/node/database.ts";
import { freePort } from "@shared/testing/free-port.ts";
import { spawnPart } from "@shared/testing/spawn-part.ts";
import { startStandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { type Crowd, measureCrowd } from "./measure-crowd.ts";

const SIGNALS = 200;
const AI_TIME_MS = 5_000;
const WARM_UP = 5;
/** How many traders the signals come from; those of one trader are numbered one after the other. */
const CROWDS = [
  { traders: 200, worksMeanwhile: false },
  { traders: 1, worksMeanwhile: false },
  { traders: 200, worksMeanwhile: true },
  { traders: 10, worksMeanwhile: true },
  { traders: 1, worksMeanwhile: true },
] as const;

/**
 * Measures 200 analyses in flight in one worker while the AI takes 5 s for each: how much longer than one answer of
 * the AI it takes to the last result, from the moment the worker may begin with those that wait, or from the first
 * request; and how much memory the worker takes for it.
 */
export async function benchLoad(options: { database: Database; uri: string }): Promise<void> {
  const ai = await startStandInOpenAi();
  ai.behave({ kind: "advice", delayMs: AI_TIME_MS });
  const secrets = { JWT_SECRET: randomUUID().repeat(2), ADMIN_PASSWORD: randomUUID() };
  const port = await freePort();
  const env = {
    ...secrets,
    MONGODB_URI: options.uri,
    API_PORT: String(port),
    RATE_LIMIT: "off",
    MARKET_DATA: "replay",
    OPENAI_API_KEY: "no key",
    OPENAI_BASE_URL: ai.baseUrl,
    WORKER_CONCURRENCY: String(SIGNALS),
  };
  const server = await spawnPart("server", env);
  const worker = await spawnPart("worker", env, "scripts/bench/measured-worker.ts");
  const shared = { ...options, worker, jwtSecret: secrets.JWT_SECRET };
  const measure = (size: Pick<Crowd, "signals" | "traders" | "worksMeanwhile">) =>
    measureCrowd({ ...shared, ...size, apiUrl: `http://localhost:${port}` });
  try {
    await measure({ signals: WARM_UP, traders: WARM_UP, worksMeanwhile: true });
    const rows = [];
    for (const { traders, worksMeanwhile } of CROWDS) {
      const crowd = await measure({ signals: SIGNALS, traders, worksMeanwhile });
      rows.push({
        traders,
        measured: worksMeanwhile ? "from the first request" : "once all are accepted",
        refused: crowd.refused,
        "last started / AI time": round(crowd.lastStartedMs / AI_TIME_MS),
        "last finished / AI time": round(crowd.lastFinishedMs / AI_TIME_MS),
        "memory growth, MB": round(crowd.memoryGrowthMb),
        "load average": round(loadavg()[0] ?? Number.NaN),
      });
    }
    console.log(
      `${SIGNALS} signals at once in one worker, the AI takes ${AI_TIME_MS} ms for each:`,
    );
    console.table(rows);
  } finally {
    await Promise.all([server.stop(), worker.stop()]);
    await ai.close();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
