import type { Database } from "@shared/database/database.ts";
import { createRegistry } from "@shared/runtime/run-service.ts";
import { Gauge, Histogram, type Registry } from "prom-client";

/** Upper bounds in seconds, up to a signal with a chart image. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface QueueDepth {
  /** Analyses that users have requested. */
  waiting: number;
  /** Those that only watchers wait for. All requests are ahead of them. */
  scheduledWaiting: number;
  running: number;
  /** Age of the oldest waiting request; 0 without one. */
  oldestWaitingSeconds: number;
}

type ReadQueueDepth = (database: Database, now: Date) => Promise<QueueDepth>;

export interface ServerMetrics {
  readonly registry: Registry;
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  /** @param lagSeconds from the commit of an event to its arrival */
  observeEvent(lagSeconds: number): void;
  countSockets(count: () => number): void;
}

/** Queue gauges are read on each scrape, and are NaN without a database. */
export function createServerMetrics(options: {
  database: Database;
  now: () => Date;
  readQueueDepth: ReadQueueDepth;
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
  addProofGauge({ ...options, registry });
  return {
    registry,
    observeRequest: ({ seconds, ...labels }) => requests.observe(labels, seconds),
    // Clocks of two machines differ.
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

const UNKNOWN_QUEUE: QueueDepth = {
  waiting: Number.NaN,
  scheduledWaiting: Number.NaN,
  running: Number.NaN,
  oldestWaitingSeconds: Number.NaN,
};

function addQueueGauges(options: {
  database: Database;
  now: () => Date;
  readQueueDepth: ReadQueueDepth;
  registry: Registry;
}) {
  const { database, now, readQueueDepth, registry } = options;
  // The gauges of one scrape share one database read.
  const read = sharedInFlight(async () => {
    const depth = await readQueueDepth(database, now()).catch(() => undefined);
    return { up: depth ? 1 : 0, ...(depth ?? UNKNOWN_QUEUE) };
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
  add(
    "analyses_waiting",
    "Requested analyses that no worker has started.",
    ({ waiting }) => waiting,
  );
  add(
    "analyses_scheduled_waiting",
    "Analyses for watchers that no worker has started, behind those of requests.",
    ({ scheduledWaiting }) => scheduledWaiting,
  );
  add("analyses_running", "Analyses in work.", ({ running }) => running);
  add(
    "analyses_oldest_waiting_seconds",
    "Age of the longest waiting signal.",
    ({ oldestWaitingSeconds }) => oldestWaitingSeconds,
  );
}

function addProofGauge(options: { database: Database; now: () => Date; registry: Registry }) {
  const { database, now, registry } = options;
  const gauge: Gauge = new Gauge({
    name: "payment_proof_oldest_waiting_seconds",
    help: "Age of the proof of payment that has waited longest for review; 0 without any.",
    registers: [registry],
    async collect() {
      const oldest = database.paymentProofs
        .findOne({ reviewedAt: null })
        .sort({ createdAt: 1 })
        .select({ createdAt: 1 })
        .lean();
      const ageOf = (at: Date) => (now().getTime() - at.getTime()) / 1_000;
      gauge.set(
        await oldest.then(
          (proof) => (proof ? ageOf(proof.createdAt) : 0),
          () => Number.NaN,
        ),
      );
    },
  });
}

function sharedInFlight<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
