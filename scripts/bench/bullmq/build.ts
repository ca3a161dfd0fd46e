import { createServer } from "node:http";
import { bodyParser } from "@koa/bodyparser";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";
import { nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignal, presentSignalRef } from "@shared/domain/present-signal.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { analysisOf, newSignal } from "@shared/testing/signal-factory.ts";
import { createAdapter } from "@socket.io/redis-adapter";
import { Queue, QueueEvents, Worker } from "bullmq";
import { Redis } from "ioredis";
import Koa from "koa";
import { Types } from "mongoose";
import { Server } from "socket.io";
import { z } from "zod";
import { authenticateToken } from "../../../server/src/http/sessions.ts";
import { generateSignal } from "../../../worker/src/analysis/analyse-market.ts";
import { instantServices } from "../instant-services.ts";

// The product's way of a signal on BullMQ, Redis and Socket.IO's Redis adapter. Runs as a server or a worker.

const TIMEOUT_MS = 60_000;
/** Name of the queue and of its only kind of job. */
const SIGNALS_QUEUE = "signals";
/** A job that is removed at once may be missing while its result is awaited. */
const JOB_OPTIONS = { removeOnComplete: { count: 1_000 }, attempts: 3 };

const jobSchema = z.object({ signalId: z.string() });

const { REDIS_PORT, PEER_WRITES, BENCH_SERVICE } = process.env;
/** BullMQ's advice for connections that wait: retry a command forever. */
const connection = { host: "127.0.0.1", port: Number(REDIS_PORT), maxRetriesPerRequest: null };
const redis = new Redis(connection);
const adapter = createAdapter(redis, redis.duplicate());
const sockets = new Server({ serveClient: false, adapter });

const settings = loadSettings();
const database = await openDatabase({ uri: settings.MONGODB_URI ?? "" });
const signals = nativeCollection(database.signals);
const analyses = nativeCollection(database.marketAnalyses);
const part = BENCH_SERVICE === "worker" ? "worker" : "server";
const logger = createLogger({ part, level: settings.LOG_LEVEL });

await (part === "worker" ? startWorker() : startServer());
logger.info(`${part} ready`);
logger.flush();

/** A write of one step, in the session of its transaction if it has one. */
type Write = (options: { session?: UnitOfWork["session"] }) => Promise<unknown>;

/** Stores a step with its event, under the product's write concern, and pushes the event to the user. */
async function takeStep(
  { userId }: SignalRecord,
  { name, data }: { name: string; data: unknown },
  writes: readonly Write[],
): Promise<void> {
  const stream = userStream(userId);
  const at = new Date();
  const seq = await redis.incr(stream);
  const event = { _id: newSignalId(), stream, seq, name, data, at };
  await store([
    ...writes,
    (options) => nativeCollection(database.events).insertOne(event, options),
  ]);
  sockets.to(stream).emit(name, { stream: "user", seq, at: at.toISOString(), data });
}

/** Writes one after the other, as such builds mostly do, all together, or in a transaction, as the product does. */
async function store(writes: readonly Write[]): Promise<void> {
  const writeInTurn: Write = async (options) => {
    for (const write of writes) await write(options);
  };
  if (PEER_WRITES === "in turn") await writeInTurn({});
  else if (PEER_WRITES === "together") await Promise.all(writes.map((write) => write({})));
  else await database.connection.transaction((session) => writeInTurn({ session }));
}

async function startServer(): Promise<void> {
  const session = { database, settings, now: () => new Date() };
  const queue = new Queue(SIGNALS_QUEUE, { connection });
  const results = new QueueEvents(SIGNALS_QUEUE, { connection });
  await results.waitUntilReady();
  const app = new Koa();
  app.use(bodyParser());
  app.use(async (ctx) => {
    const [, token = ""] = ctx.get("authorization").split(" ");
    const { user } = await authenticateToken(session, token);
    const { risk_percent: riskPercent, ...request } = signalRequestSchema.parse(ctx.request.body);
    const { analysis: _, ...completed } = newSignal(user);
    const queued = { status: "queued", revision: 0 } as const;
    const signal = { ...completed, ...request, riskPercent, ...queued };
    await storeSignal(signal);
    const job = await queue.add(SIGNALS_QUEUE, { signalId: String(signal._id) }, JOB_OPTIONS);
    ctx.body = await job.waitUntilFinished(results, TIMEOUT_MS);
    logger.info({ status: ctx.status }, "answered");
  });
  sockets.use((socket, next) => {
    authenticateToken(session, String(socket.handshake.auth.token))
      .then(({ user }) => socket.join(userStream(user._id)))
      .then(() => next(), next);
  });
  const http = createServer(app.callback());
  sockets.attach(http);
  await new Promise<void>((resolve) => http.listen(settings.API_PORT, resolve));
}

async function storeSignal(signal: SignalRecord): Promise<void> {
  const analysis = { ...analysisOf(signal), key: String(signal.analysisId) };
  // As the product looks for an analysis to join; each request has a market of its own.
  await analyses.findOne({ key: analysis.key });
  await takeStep(signal, { name: "signal:queued", data: presentSignalRef(signal) }, [
    (options) => analyses.insertOne(analysis, options),
    (options) => signals.insertOne(signal, options),
  ]);
}

async function startWorker(): Promise<void> {
  const worker = new Worker(
    SIGNALS_QUEUE,
    async ({ data }) => {
      const { signalId } = jobSchema.parse(data);
      logger.info({ signalId }, "signal started");
      const answer = await runSignal(signalId);
      logger.info({ signalId }, "signal finished");
      return answer;
    },
    { connection, concurrency: settings.WORKER_CONCURRENCY },
  );
  worker.on("failed", (job, error) => logger.error({ err: error, job: job?.id }, "job failed"));
  await worker.waitUntilReady();
}

async function runSignal(signalId: string) {
  const signal = await signals.findOne({ _id: new Types.ObjectId(signalId) });
  if (!signal) throw new Error(`there is no signal ${signalId}`);
  const { analysisId } = signal;
  const startedAt = new Date();
  const running = { status: "running", startedAt, updatedAt: startedAt } as const;
  await takeStep(signal, { name: "signal:started", data: presentSignalRef(signal) }, [
    (options) => analyses.updateOne({ _id: analysisId }, { $set: running }, options),
    (options) => signals.updateMany({ analysisId }, { $set: running }, options),
  ]);
  const generated = await generateSignal({
    request: signal,
    marketData: instantServices.market.marketData,
    analyst: instantServices.analyst,
    costs: DEFAULT_TRADING_COSTS[instrumentClass(signal.symbol)],
    now: Date.now,
    abort: AbortSignal.timeout(TIMEOUT_MS),
  });
  return storeResult(signal, generated);
}

/** Finishes the analysis and its signals: others may have joined it, as in the product. */
async function storeResult(
  signal: SignalRecord,
  { analysis, receipt, candles }: Awaited<ReturnType<typeof generateSignal>>,
) {
  const { analysisId: _id } = signal;
  const { analysisCandles, signalUsages } = database;
  const at = new Date();
  const done = { status: "completed", finishedAt: at, updatedAt: at } as const;
  const { suggested_units, estimated_dollar_risk, required_margin, ...unsized } = analysis;
  const result = { analysis: unsized, quoteToUsd: null, candlesSha256: receipt.candles.sha256 };
  const usage = { model: receipt.model, promptTokens: 0, completionTokens: 0, costUsd: 0 };
  const joined = await signals.find({ analysisId: _id }).toArray();
  const data = presentSignal({ ...signal, ...done, analysis });
  await takeStep(signal, { name: "signal:completed", data }, [
    (options) => analyses.updateOne({ _id }, { $set: { ...done, result, receipt } }, options),
    ...joined.map(
      ({ _id: id }): Write =>
        (options) =>
          signals.updateOne({ _id: id }, { $set: { ...done, analysis } }, options),
    ),
    (options) => nativeCollection(analysisCandles).insertOne({ _id, candles }, options),
    (options) => nativeCollection(signalUsages).insertOne({ _id, at, ...usage }, options),
  ]);
  return data;
}
