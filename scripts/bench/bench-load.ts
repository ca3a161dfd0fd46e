import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@shared/database/database.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { nextMarket } from "./lib/measure-pipeline.ts";
import { printTable } from "./lib/report.ts";
import {
  type BenchOptions,
  createTokens,
  type MeasuredBuild,
  residentBytes,
  startProduct,
} from "./lib/start-product.ts";

const SIGNALS = 200;
const AI_TIME_MS = 5_000;
const WARM_UP: Load = { signals: 5, traders: 5, isWorkerRunning: true };
const LOADS: Load[] = [
  { signals: SIGNALS, traders: 200, isWorkerRunning: false },
  { signals: SIGNALS, traders: 1, isWorkerRunning: false },
  { signals: SIGNALS, traders: 200, isWorkerRunning: true },
  { signals: SIGNALS, traders: 10, isWorkerRunning: true },
  { signals: SIGNALS, traders: 1, isWorkerRunning: true },
];

interface Load {
  signals: number;
  traders: number;
  /** Otherwise the worker is suspended until all requests are accepted, which leaves out the server's share. */
  isWorkerRunning: boolean;
}

/** Measures how long 200 analyses at once in one worker take while each AI call takes 5 s, and the worker's memory. */
export async function benchLoad({ database, uri }: BenchOptions): Promise<void> {
  const ai = await startFakeOpenAi();
  ai.behave({ kind: "advice", delayMs: AI_TIME_MS });
  const env = {
    MARKET_DATA: "replay",
    OPENAI_API_KEY: "no key",
    OPENAI_BASE_URL: ai.baseUrl,
    WORKER_CONCURRENCY: String(SIGNALS),
  };
  const product = await startProduct({ uri, env, workerEntry: "worker/src/main.ts" });
  try {
    await measureLoad(product, database, WARM_UP);
    const rows = [];
    for (const load of LOADS) {
      const result = await measureLoad(product, database, load);
      rows.push({
        traders: load.traders,
        measured: load.isWorkerRunning ? "from the first request" : "once all are accepted",
        refused: result.refused,
        "last started / AI time": result.lastStartedMs / AI_TIME_MS,
        "last finished / AI time": result.lastFinishedMs / AI_TIME_MS,
        "memory growth, MB": result.memoryGrowthBytes / 2 ** 20,
        "load average": loadavg()[0] ?? Number.NaN,
      });
    }
    printTable(`${SIGNALS} signals at once in one worker, AI calls of ${AI_TIME_MS} ms`, rows);
  } finally {
    await product.stop();
    await ai.close();
  }
}

const MEMORY_INTERVAL_MS = 100;

async function measureLoad(
  { apiUrl, settings, workers }: MeasuredBuild,
  database: Database,
  { signals, traders, isWorkerRunning }: Load,
) {
  const pid = workers[0]?.pid ?? -1;
  const tokens = await createTokens({ database, settings, count: traders });
  const memory = [await residentBytes(pid)];
  const sampling = setInterval(
    () => void residentBytes(pid).then((bytes) => memory.push(bytes)),
    MEMORY_INTERVAL_MS,
  );
  const since = new Date();
  if (!isWorkerRunning) process.kill(pid, "SIGSTOP");
  const accepted = await Promise.all(
    Array.from({ length: signals }, (_, index) =>
      requestSignal(apiUrl, tokens[index % tokens.length] ?? ""),
    ),
  );
  const count = accepted.filter(Boolean).length;
  const resumedAt = Date.now();
  if (!isWorkerRunning) process.kill(pid, "SIGCONT");
  await waitUntilCompleted(database, since, count);
  clearInterval(sampling);
  const made = await database.signals.find({ createdAt: { $gte: since } }).lean();
  const firstAt = isWorkerRunning
    ? Math.min(...made.map((one) => Number(one.createdAt)))
    : resumedAt;
  return {
    refused: signals - count,
    lastStartedMs: Math.max(...made.map(({ startedAt }) => Number(startedAt))) - firstAt,
    lastFinishedMs: Math.max(...made.map(({ finishedAt }) => Number(finishedAt))) - firstAt,
    memoryGrowthBytes: Math.max(...memory) - (memory[0] ?? 0),
  };
}

/** False for a 503: the database did not accept it in time. */
async function requestSignal(apiUrl: string, token: string): Promise<boolean> {
  const headers = { Prefer: "respond-async" };
  const { status } = await callApi(`${apiUrl}/get-signal`, { token, headers, body: nextMarket() });
  if (status !== 202 && status !== 503) throw new Error(`answered ${status}`);
  return status === 202;
}

const TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 50;

async function waitUntilCompleted(database: Database, since: Date, count: number): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  const completed = { createdAt: { $gte: since }, status: "completed" } as const;
  while ((await database.signals.countDocuments(completed)) < count) {
    if (Date.now() > deadline) throw new Error("the signals were not finished in time");
    await delay(POLL_INTERVAL_MS);
  }
}
