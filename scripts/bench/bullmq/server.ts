import { once } from "node:events";
import { createServer } from "node:http";
import { bodyParser } from "@koa/bodyparser";
import { type SignalRequest, signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentSignalRef } from "@shared/domain/present-signal.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { Queue, QueueEvents } from "bullmq";
import Koa from "koa";
import { authenticateToken } from "../../../server/src/http/sessions.ts";
import { openPush, redisOptions, SIGNALS_QUEUE, takeStep } from "./store.ts";

const WAIT_MS = 60_000;

/** One that is removed at once may be missing when its result is waited for. */
const KEPT = { count: 1_000 };

function newSignal(userId: UserRecord["_id"], request: SignalRequest): SignalRecord {
  const now = new Date();
  return {
    _id: newSignalId(),
    userId,
    analysisId: newSignalId(),
    origin: "request",
    symbol: request.symbol,
    timeframe: request.timeframe,
    limit: request.limit,
    amount: request.amount,
    riskPercent: request.risk_percent,
    leverage: request.leverage,
    status: "queued",
    revision: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/** The build looks for an analysis to join and stores a new one, as the product does. */
function newAnalysis(signal: SignalRecord): MarketAnalysisRecord {
  const { analysisId: _id, symbol, timeframe, limit, createdAt } = signal;
  return {
    ...{ _id, key: `${symbol} ${timeframe} ${limit} ${_id}`, symbol, timeframe, limit },
    ...{ candleClosedAt: lastCandleClose(timeframe, createdAt), status: "queued", revision: 0 },
    ...{ joinedSignals: 1, createdAt, updatedAt: createdAt },
  };
}

function createSignalQueue(database: Database, push: ReturnType<typeof openPush>) {
  const queue = new Queue(SIGNALS_QUEUE, { connection: redisOptions });
  const ends = new QueueEvents(SIGNALS_QUEUE, { connection: redisOptions });
  return {
    ready: () => ends.waitUntilReady(),
    close: () => Promise.all([queue.close(), ends.close()]),
    /** Stores and queues a signal, and waits for its result. */
    async run(userId: UserRecord["_id"], request: SignalRequest): Promise<unknown> {
      const signal = newSignal(userId, request);
      const analysis = newAnalysis(signal);
      const analyses = nativeCollection(database.marketAnalyses);
      const known = await analyses.findOne({ key: analysis.key ?? "" });
      if (known) throw new Error("Each request has a market of its own.");
      await takeStep(
        { database, push },
        {
          userId,
          writes: [
            (options) => analyses.insertOne(analysis, options),
            (options) => nativeCollection(database.signals).insertOne(signal, options),
          ],
          name: "signal:queued",
          data: presentSignalRef(signal),
        },
      );
      const data = { signalId: String(signal._id) };
      const job = await queue.add(SIGNALS_QUEUE, data, { removeOnComplete: KEPT, attempts: 3 });
      return job.waitUntilFinished(ends, WAIT_MS);
    },
  };
}

await runService("server", async (settings, uri) => {
  const logger = createLogger({ part: "server", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const session = { database, settings, now: () => new Date() };
  const app = new Koa();
  const http = createServer();
  const push = openPush(http);
  const signals = createSignalQueue(database, push);
  app.use(bodyParser());
  app.use(async (ctx) => {
    const [, token = ""] = (ctx.get("authorization") ?? "").split(" ");
    const { user } = await authenticateToken(session, token);
    ctx.body = await signals.run(user._id, signalRequestSchema.parse(ctx.request.body));
    logger.info({ status: ctx.status }, "answered");
  });
  push.io.use((socket, next) => {
    authenticateToken(session, String(socket.handshake.auth.token))
      .then(({ user }) => socket.join(userStream(user._id)))
      .then(() => next(), next);
  });
  http.on("request", app.callback());
  await signals.ready();
  http.listen(settings.API_PORT);
  await once(http, "listening");
  logger.info("server ready");
  logger.flush();
  return {
    logger,
    async stop() {
      http.closeAllConnections();
      await push.close();
      await signals.close();
      await database.close();
    },
  };
});
