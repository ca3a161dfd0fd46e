import { loadavg } from "node:os";
import type { Database } from "@shared/database/database.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { until } from "../faults/harness/until.ts";
import {
  type BenchOptions,
  nextMarket,
  printTable,
  residentBytes,
  type StartedProduct,
  startProduct,
} from "./start-product.ts";

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
  const product = await startProduct({ database, uri, env, workerEntry: "worker/src/main.ts" });
  try {
    await measureLoad(product, database, WARM_UP);
    const rows = [];
    for (const load of LOADS) rows.push(await measureLoad(product, database, load));
    printTable(`${SIGNALS} signals at once in one worker, AI calls of ${AI_TIME_MS} ms`, rows);
  } finally {
    await product.stop();
    await ai.close();
  }
}

const MEMORY_INTERVAL_MS = 100;

async function measureLoad(
  { apiUrl, createTokens, workers }: StartedProduct,
  database: Database,
  { signals, traders, isWorkerRunning }: Load,
) {
  const pid = workers[0]?.pid ?? Number.NaN;
  const tokens = await createTokens(traders);
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
  const completed = { createdAt: { $gte: since }, status: "completed" } as const;
  await until(async () => (await database.signals.countDocuments(completed)) >= count, {
    what: "all signals to finish",
  });
  clearInterval(sampling);
  const stored = await database.signals.find({ createdAt: { $gte: since } }).lean();
  const firstAt = isWorkerRunning
    ? Math.min(...stored.map((one) => Number(one.createdAt)))
    : resumedAt;
  const lastStartedMs = Math.max(...stored.map(({ startedAt }) => Number(startedAt))) - firstAt;
  const lastFinishedMs = Math.max(...stored.map(({ finishedAt }) => Number(finishedAt))) - firstAt;
  return {
    traders,
    measured: isWorkerRunning ? "from the first request" : "once all are accepted",
    refused: signals - count,
    "last started / AI time": lastStartedMs / AI_TIME_MS,
    "last finished / AI time": lastFinishedMs / AI_TIME_MS,
    "memory growth, MB": (Math.max(...memory) - (memory[0] ?? 0)) / 2 ** 20,
    "load average": loadavg()[0] ?? Number.NaN,
  };
}

/** False for a 503: the database did not accept it in time. */
async function requestSignal(apiUrl: string, token: string): Promise<boolean> {
  const headers = { Prefer: "respond-async" };
  const { status } = await callApi(`${apiUrl}/get-signal`, { token, headers, body: nextMarket() });
  if (status !== 202 && status !== 503) throw new Error(`answered ${status}`);
  return status === 202;
}
