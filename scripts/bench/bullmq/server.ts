import { once } from "node:events";
import { createServer } from "node:http";
import { bodyParser } from "@koa/bodyparser";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignalRef } from "@shared/domain/present-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { analysisOf, newSignal } from "@shared/testing/signal-factory.ts";
import { Queue, QueueEvents } from "bullmq";
import Koa from "koa";
import { authenticateToken } from "../../../server/src/http/sessions.ts";
import { openPush, redisOptions, SIGNALS_QUEUE, type Stores, takeStep } from "./store.ts";

const TIMEOUT_MS = 60_000;

/** A job that is removed at once may be missing while its result is awaited. */
const KEPT_JOBS = { count: 1_000 };

async function storeSignal(stores: Stores, signal: SignalRecord): Promise<void> {
  const key = String(signal.analysisId);
  const analysis = { ...analysisOf(signal), key };
  const analyses = nativeCollection(stores.database.marketAnalyses);
  // As the product looks for an analysis to join; each request has a market of its own.
  await analyses.findOne({ key });
  await takeStep(stores, {
    userId: signal.userId,
    writes: [
      (options) => analyses.insertOne(analysis, options),
      (options) => nativeCollection(stores.database.signals).insertOne(signal, options),
    ],
    name: "signal:queued",
    data: presentSignalRef(signal),
  });
}

await runService("server", async (settings, uri) => {
  const logger = createLogger({ part: "server", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const session = { database, settings, now: () => new Date() };
  const app = new Koa();
  const http = createServer();
  const push = openPush(http);
  const queue = new Queue(SIGNALS_QUEUE, { connection: redisOptions });
  const results = new QueueEvents(SIGNALS_QUEUE, { connection: redisOptions });
  app.use(bodyParser());
  app.use(async (ctx) => {
    const [, token = ""] = ctx.get("authorization").split(" ");
    const { user } = await authenticateToken(session, token);
    const { risk_percent: riskPercent, ...request } = signalRequestSchema.parse(ctx.request.body);
    const { analysis: _, ...completed } = newSignal(user);
    const queued = { status: "queued", revision: 0 } as const;
    const signal: SignalRecord = { ...completed, ...request, riskPercent, ...queued };
    await storeSignal({ database, push }, signal);
    const data = { signalId: String(signal._id) };
    const job = await queue.add(SIGNALS_QUEUE, data, { removeOnComplete: KEPT_JOBS, attempts: 3 });
    ctx.body = await job.waitUntilFinished(results, TIMEOUT_MS);
    logger.info({ status: ctx.status }, "answered");
  });
  push.io.use((socket, next) => {
    authenticateToken(session, String(socket.handshake.auth.token))
      .then(({ user }) => socket.join(userStream(user._id)))
      .then(() => next(), next);
  });
  http.on("request", app.callback());
  await results.waitUntilReady();
  http.listen(settings.API_PORT);
  await once(http, "listening");
  logger.info("server ready");
  logger.flush();
  return {
    logger,
    async stop() {
      http.closeAllConnections();
      await push.close();
      await Promise.all([queue.close(), results.close()]);
      await database.close();
    },
  };
});
