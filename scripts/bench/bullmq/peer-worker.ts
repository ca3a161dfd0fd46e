import { instrumentClass } from "@shared/contract/instruments.ts";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import { nativeCollection } from "@shared/node/native-collection.ts";
import { runPart } from "@shared/node/run-part.ts";
import { lastCandleClose } from "@shared/node/signals/analysis-key.ts";
import { presentSignal, presentSignalRef } from "@shared/node/signals/present-signal.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";
import { Worker } from "bullmq";
import { Types } from "mongoose";
import { generateSignal } from "../../../worker/src/signals/generate-signal.ts";
import { instantServices } from "../instant-services.ts";
import { peerJobSchema, redisOptions, SIGNALS_QUEUE } from "./peer-env.ts";
import { openPush, type Push } from "./peer-push.ts";
import { takeStep } from "./peer-store.ts";

const RUN_MS = 60_000;

async function runSignal(on: { database: Database; push: Push }, signalId: Types.ObjectId) {
  const signals = nativeCollection(on.database.signals);
  const analysisCandles = nativeCollection(on.database.analysisCandles);
  const analyses = nativeCollection(on.database.marketAnalyses);
  const signalUsages = nativeCollection(on.database.signalUsages);
  const signal = await signals.findOne({ _id: signalId });
  if (!signal) throw new Error(`there is no signal ${signalId}`);
  const { _id, userId } = signal;
  const startedAt = new Date();
  const running = { status: "running", startedAt, updatedAt: startedAt } as const;
  await takeStep(on, {
    userId,
    writes: [(options) => signals.updateOne({ _id }, { $set: running }, options)],
    name: "signal:started",
    data: presentSignalRef(signal),
  });
  const { analysis, receipt, candles } = await generateSignal({
    request: signal,
    marketData: instantServices.market.marketData,
    analyst: instantServices.analyst,
    costs: DEFAULT_TRADING_COSTS[instrumentClass(signal.symbol)],
    now: Date.now,
    abort: AbortSignal.timeout(RUN_MS),
  });
  const finishedAt = new Date();
  const done = {
    status: "completed",
    analysis,
    finishedAt,
    updatedAt: finishedAt,
  } as const;
  const usage = { model: receipt.model, promptTokens: 0, completionTokens: 0, costUsd: 0 };
  const answer = presentSignal({ ...signal, ...done });
  await takeStep(on, {
    userId,
    writes: [
      (options) => signals.updateOne({ _id }, { $set: done }, options),
      (options) => analyses.insertOne({ ...analysisOf(signal, finishedAt), receipt }, options),
      (options) => analysisCandles.insertOne({ _id, candles }, options),
      (options) => signalUsages.insertOne({ _id, at: finishedAt, ...usage }, options),
    ],
    name: "signal:completed",
    data: answer,
  });
  return answer;
}

/** The build stores the analysis beside its signal, as the product does. */
const analysisOf = (signal: SignalRecord, finishedAt: Date): MarketAnalysisRecord => ({
  ...{ _id: signal.analysisId, symbol: signal.symbol, timeframe: signal.timeframe },
  ...{ limit: signal.limit, candleClosedAt: lastCandleClose(signal.timeframe, signal.createdAt) },
  ...{ status: "completed", revision: 1, joinedSignals: 1, createdAt: signal.createdAt },
  ...{ startedAt: finishedAt, finishedAt, updatedAt: finishedAt },
});

await runPart("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const push = openPush();
  const worker = new Worker(
    SIGNALS_QUEUE,
    async (job) => {
      const { signalId } = peerJobSchema.parse(job.data);
      logger.info({ signalId }, "signal started");
      const answer = await runSignal({ database, push }, new Types.ObjectId(signalId));
      logger.info({ signalId }, "signal finished");
      return answer;
    },
    { connection: redisOptions, concurrency: settings.WORKER_CONCURRENCY },
  );
  worker.on("failed", (job, error) => logger.error({ err: error, job: job?.id }, "job failed"));
  await worker.waitUntilReady();
  logger.info("worker ready");
  logger.flush();
  return {
    logger,
    async stop() {
      await worker.close();
      await push.close();
      await database.close();
    },
  };
});
