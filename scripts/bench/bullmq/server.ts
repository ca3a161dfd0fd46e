import { once } from "node:events";
import { createServer } from "node:http";
import { bodyParser } from "@koa/bodyparser";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignalRef } from "@shared/domain/present-signal.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { Queue, QueueEvents } from "bullmq";
import Koa from "koa";
import type { z } from "zod";
import { authenticateToken } from "../../../server/src/http/sessions.ts";
import { openPush, redisOptions, SIGNALS_QUEUE, type Stores, takeStep } from "./store.ts";

const TIMEOUT_MS = 60_000;

/** A job that is removed at once may be missing while its result is awaited. */
const KEPT_JOBS = { count: 1_000 };

type SignalRequest = z.infer<typeof signalRequestSchema>;

function newSignal(userId: SignalRecord["userId"], request: SignalRequest): SignalRecord {
  const { risk_percent: riskPercent, symbol, timeframe, limit, amount, leverage } = request;
  const now = new Date();
  return {
    ...{ _id: newSignalId(), userId, analysisId: newSignalId(), origin: "request" },
    ...{ symbol, timeframe, limit, amount, riskPercent, leverage },
    ...{ status: "queued", revision: 0, createdAt: now, updatedAt: now },
  };
}

/** Both builds look for an analysis to join, and store a new one. */
function newAnalysis(signal: SignalRecord): MarketAnalysisRecord {
  const { analysisId: _id, symbol, timeframe, limit, createdAt } = signal;
  return {
    ...{ _id, key: `${symbol} ${timeframe} ${limit} ${_id}`, symbol, timeframe, limit },
    ...{ candleClosedAt: lastCandleClose(timeframe, createdAt), status: "queued", revision: 0 },
    ...{ joinedSignals: 1, createdAt, updatedAt: createdAt },
  };
}

/** Stores a signal with its analysis. */
async function storeSignal(stores: Stores, signal: SignalRecord): Promise<void> {
  const analysis = newAnalysis(signal);
  const analyses = nativeCollection(stores.database.marketAnalyses);
  const known = await analyses.findOne({ key: analysis.key ?? "" });
  if (known) throw new Error("Each request has a market of its own.");
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
    const signal = newSignal(user._id, signalRequestSchema.parse(ctx.request.body));
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
