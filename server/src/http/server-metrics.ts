import type { Database } from "@shared/database/database.ts";
import { createRegistry } from "@shared/runtime/run-service.ts";
import { Gauge, Histogram, type Registry } from "prom-client";
import { z } from "zod";

/** Upper ends in seconds: from a look at memory to a signal with a chart image. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What the server counts of itself, as `GET /metrics` tells it. */
export interface ServerMetrics {
  readonly registry: Registry;
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  /** An event reached this server; `lagSeconds` after it was told. */
  observeEvent(lagSeconds: number): void;
  /** From now on the open sockets are counted by this. */
  countSockets(count: () => number): void;
}

/** Makes the server's register. Figures of the queue are read when they are asked for, and left out without a database. */
export function createServerMetrics(options: {
  database: Database;
  now: () => Date;
}): ServerMetrics {
  const registry = createRegistry("server");
  const registers = [registry];
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "From a request's arrival to its answer.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const lag = new Histogram({
    name: "event_lag_seconds",
    help: "From telling an event to its arrival at this server.",
    buckets: LAG_SECONDS,
    registers,
  });
  addQueueGauges({ ...options, registry });
  return {
    registry,
    observeRequest: ({ seconds, ...labels }) => requests.observe(labels, seconds),
    // Clocks of two machines differ: an event from the future counts as just told.
    observeEvent: (lagSeconds) => lag.observe(Math.max(0, lagSeconds)),
    countSockets(count) {
      const sockets: Gauge = new Gauge({
        name: "sockets_open",
        help: "Open push sockets of this server.",
        registers,
        collect: () => sockets.set(count()),
      });
    },
  };
}

function addQueueGauges(options: { database: Database; now: () => Date; registry: Registry }) {
  const { database, now, registry } = options;
  const read = sharedInFlight(async () => {
    const state = await readQueueDepth(database, now()).catch(() => undefined);
    return { up: state ? 1 : 0, ...(state ?? UNKNOWN_QUEUE) };
  });
  type Reading = Awaited<ReturnType<typeof read>>;
  const add = (name: string, help: string, pick: (reading: Reading) => number) => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => gauge.set(pick(await read())),
    });
  };
  add("database_up", "1 while the database answers.", ({ up }) => up);
  add("analyses_waiting", "Analyses that no worker has begun.", ({ waiting }) => waiting);
  add("analyses_running", "Analyses in work.", ({ running }) => running);
  add(
    "analyses_oldest_waiting_seconds",
    "Age of the longest waiting signal.",
    ({ oldestWaitingSeconds }) => oldestWaitingSeconds,
  );
}

const UNKNOWN_QUEUE: QueueDepth = {
  waiting: Number.NaN,
  running: Number.NaN,
  oldestWaitingSeconds: Number.NaN,
};

/** All gauges of one scrape are collected at once: they share one look at the database. */
function sharedInFlight<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

/** How much work there is. */
interface QueueDepth {
  /** Analyses that no worker has begun. */
  waiting: number;
  /** Analyses in work. */
  running: number;
  /** Age of the longest waiting analysis in seconds; 0 when none waits. */
  oldestWaitingSeconds: number;
}

const groupsSchema = z.array(z.object({ _id: z.string(), count: z.number(), oldest: z.date() }));

/** Counts the unfinished analyses, by the index that holds no others. */
export async function readQueueDepth(database: Database, now: Date): Promise<QueueDepth> {
  const found = await database.marketAnalyses.aggregate([
    { $match: { status: { $in: ["queued", "running"] }, updatedAt: { $gt: new Date(0) } } },
    { $group: { _id: "$status", count: { $sum: 1 }, oldest: { $min: "$createdAt" } } },
  ]);
  const groups = new Map(groupsSchema.parse(found).map((group) => [group._id, group]));
  const waiting = groups.get("queued");
  const ageMs = waiting ? now.getTime() - waiting.oldest.getTime() : 0;
  return {
    waiting: waiting?.count ?? 0,
    running: groups.get("running")?.count ?? 0,
    oldestWaitingSeconds: Math.max(0, ageMs) / 1_000,
  };
}
