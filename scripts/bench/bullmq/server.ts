import { createServer } from "node:http";
import { bodyParser } from "@koa/bodyparser";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignalRef } from "@shared/domain/present-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { analysisOf, newSignal } from "@shared/testing/signal-factory.ts";
import { Queue, QueueEvents } from "bullmq";
import Koa from "koa";
import { authenticateToken } from "../../../server/src/http/sessions.ts";
import { redisOptions, SIGNALS_QUEUE, sockets, takeStep } from "./step.ts";

const TIMEOUT_MS = 60_000;

/** A job that is removed at once may be missing while its result is awaited. */
const JOB_OPTIONS = { removeOnComplete: { count: 1_000 }, attempts: 3 };

const settings = loadSettings();
const database = await openDatabase({ uri: settings.MONGODB_URI ?? "" });
const session = { database, settings, now: () => new Date() };
const logger = createLogger({ part: "server", level: settings.LOG_LEVEL });
const queue = new Queue(SIGNALS_QUEUE, { connection: redisOptions });
const results = new QueueEvents(SIGNALS_QUEUE, { connection: redisOptions });

async function storeSignal(signal: SignalRecord): Promise<void> {
  const analysis = { ...analysisOf(signal), key: String(signal.analysisId) };
  const analyses = nativeCollection(database.marketAnalyses);
  // As the product looks for an analysis to join; each request has a market of its own.
  await analyses.findOne({ key: analysis.key });
  await takeStep(database, {
    userId: signal.userId,
    writes: [
      (options) => analyses.insertOne(analysis, options),
      (options) => nativeCollection(database.signals).insertOne(signal, options),
    ],
    name: "signal:queued",
    data: presentSignalRef(signal),
  });
}

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

await results.waitUntilReady();
const http = createServer(app.callback());
sockets.attach(http);
http.listen(settings.API_PORT, () => {
  logger.info("server ready");
  logger.flush();
});
