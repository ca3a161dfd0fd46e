import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SIGNAL_LIMITS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { z } from "zod";

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
  const ai = await startFakeOpenAi();
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
  const server = await spawnService("server", env);
  const worker = await spawnService("worker", env, "scripts/bench/instrumented-worker.ts");
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

const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 50;
const MEGABYTE = 1_048_576;
/** Coins trade around the clock: a closed market would be answered without the AI. */
const SYMBOLS = SYMBOL_SUGGESTIONS.filter((symbol) => symbol.endsWith("/USDT"));

let asked = 0;

/** Another market each time, over all measurements: requests for the same one would share an analysis. */
function nextCoin(): { symbol: string; timeframe: string; limit: number } {
  asked += 1;
  const { min, max } = SIGNAL_LIMITS.limit;
  const limit = min + (asked % (max - min + 1));
  return { symbol: SYMBOLS[asked % SYMBOLS.length] ?? "", timeframe: "1h", limit };
}

/** `signals` requests at once, from as many `traders`. */
interface Crowd {
  database: Database;
  apiUrl: string;
  jwtSecret: string;
  /** The only worker, which tells its memory as `instrumented-worker.ts` does. */
  worker: SpawnedService;
  signals: number;
  traders: number;
  /**
   * Whether the worker takes signals while the requests come, or is stopped until all have been accepted: then the
   * server's share is left out.
   */
  worksMeanwhile: boolean;
}

/**
 * Milliseconds from the moment the first signal was stored, or the stopped worker let go, and what the worker's memory
 * grew by at most.
 */
interface CrowdTimes {
  /** Requests that were answered 503, as the database did not take them in time. */
  refused: number;
  lastStartedMs: number;
  lastFinishedMs: number;
  memoryGrowthMb: number;
}

/** Sends all requests at once and waits until the last signal is finished. */
async function measureCrowd(crowd: Crowd): Promise<CrowdTimes> {
  const { database, worker, signals, worksMeanwhile } = crowd;
  const tokens = await signInTraders(crowd);
  const since = new Date();
  const linesBefore = worker.lines.length;
  const memoryBefore = memoriesIn(worker.lines).at(-1) ?? Number.NaN;
  if (!worksMeanwhile) process.kill(worker.pid, "SIGSTOP");
  const accepted = await Promise.all(
    Array.from({ length: signals }, (_, index) =>
      isAccepted(crowd, {
        token: tokens[index % tokens.length] ?? "",
        market: nextCoin(),
      }),
    ),
  );
  const count = accepted.filter(Boolean).length;
  const letGo = Date.now();
  if (!worksMeanwhile) process.kill(worker.pid, "SIGCONT");
  await untilFinished({ database, count, since });
  const made = await database.signals.find({ createdAt: { $gte: since } }).lean();
  const first = worksMeanwhile
    ? Math.min(...made.map(({ createdAt }) => createdAt.getTime()))
    : letGo;
  const last = (times: (Date | undefined)[]) =>
    Math.max(...times.map((time) => time?.getTime() ?? Number.NaN)) - first;
  return {
    refused: signals - count,
    lastStartedMs: last(made.map(({ startedAt }) => startedAt)),
    lastFinishedMs: last(made.map(({ finishedAt }) => finishedAt)),
    memoryGrowthMb:
      (Math.max(...memoriesIn(worker.lines.slice(linesBefore))) - memoryBefore) / MEGABYTE,
  };
}

function signInTraders({ database, jwtSecret, traders }: Crowd): Promise<string[]> {
  const settings = loadSettings({ JWT_SECRET: jwtSecret, ADMIN_PASSWORD: "not used" });
  return Promise.all(
    Array.from({ length: traders }, async () =>
      signTokenFor(await createUser(database, { approved: true }), settings),
    ),
  );
}

async function isAccepted(
  { apiUrl }: Crowd,
  { token, market }: { token: string; market: object },
): Promise<boolean> {
  const response = await fetch(`${apiUrl}/get-signal`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      prefer: "respond-async",
    },
    body: JSON.stringify(market),
  });
  const answer = await response.text();
  if (response.status !== 202 && response.status !== 503) {
    throw new Error(`answered ${response.status}: ${answer}`);
  }
  return response.status === 202;
}

async function untilFinished(options: {
  database: Database;
  count: number;
  since: Date;
}): Promise<void> {
  const { database, count, since } = options;
  const deadline = Date.now() + DEADLINE_MS;
  const finished = { createdAt: { $gte: since }, status: "completed" } as const;
  while ((await database.signals.countDocuments(finished)) < count) {
    if (Date.now() > deadline) throw new Error("the signals were not finished in time");
    await delay(LOOK_EVERY_MS);
  }
}

const memoryLineSchema = z.object({ rssBytes: z.number() });

/** Resident bytes of the worker, in the order in which it told them. */
function memoriesIn(lines: readonly string[]): number[] {
  return lines
    .filter((line) => line.startsWith('{"rssBytes"'))
    .map((line) => memoryLineSchema.parse(JSON.parse(line)).rssBytes);
}
