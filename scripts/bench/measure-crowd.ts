import { setTimeout as delay } from "node:timers/promises";
import { SIGNAL_LIMITS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/node/database.ts";
import { loadSettings } from "@shared/node/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import type { SpawnedPart } from "@shared/testing/spawn-part.ts";
import { z } from "zod";

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
export interface Crowd {
  database: Database;
  apiUrl: string;
  jwtSecret: string;
  /** The only worker, which tells its memory as `measured-worker.ts` does. */
  worker: SpawnedPart;
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
export interface CrowdTimes {
  /** Requests that were answered 503, as the database did not take them in time. */
  refused: number;
  lastStartedMs: number;
  lastFinishedMs: number;
  memoryGrowthMb: number;
}

/** Sends all requests at once and waits until the last signal is finished. */
export async function measureCrowd(crowd: Crowd): Promise<CrowdTimes> {
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
