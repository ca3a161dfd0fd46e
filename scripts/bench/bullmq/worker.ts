import { instrumentClass } from "@shared/contract/instruments.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";
import { type Database, nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignal, presentSignalRef } from "@shared/domain/present-signal.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { Worker } from "bullmq";
import { Types } from "mongoose";
import { generateSignal } from "../../../worker/src/analysis/analyse-market.ts";
import { instantServices } from "../lib/instant-services.ts";
import {
  openPush,
  type Push,
  peerJobSchema,
  redisOptions,
  SIGNALS_QUEUE,
  takeStep,
  type Write,
} from "./store.ts";

const RUN_MS = 60_000;

interface Stores {
  database: Database;
  push: Push;
}

async function runSignal(on: Stores, signalId: Types.ObjectId) {
  const signals = nativeCollection(on.database.signals);
  const signal = await signals.findOne({ _id: signalId });
  if (!signal) throw new Error(`there is no signal ${signalId}`);
  const { analysisId, userId } = signal;
  const startedAt = new Date();
  const running = { status: "running", startedAt, updatedAt: startedAt } as const;
  const analyses = nativeCollection(on.database.marketAnalyses);
  await takeStep(on, {
    userId,
    writes: [
      (options) => analyses.updateOne({ _id: analysisId }, { $set: running }, options),
      (options) => signals.updateMany({ analysisId }, { $set: running }, options),
    ],
    name: "signal:started",
    data: presentSignalRef(signal),
  });
  const made = await generateSignal({
    request: signal,
    marketData: instantServices.market.marketData,
    analyst: instantServices.analyst,
    costs: DEFAULT_TRADING_COSTS[instrumentClass(signal.symbol)],
    now: Date.now,
    abort: AbortSignal.timeout(RUN_MS),
  });
  return storeResult(on, signal, made);
}

/** Finishes the analysis and its signals. Others may have joined it, as in the product. */
async function storeResult(
  on: Stores,
  signal: SignalRecord,
  { analysis, receipt, candles }: Awaited<ReturnType<typeof generateSignal>>,
) {
  const { analysisId, userId } = signal;
  const { database } = on;
  const signals = nativeCollection(database.signals);
  const finishedAt = new Date();
  const done = { status: "completed", finishedAt, updatedAt: finishedAt } as const;
  const { suggested_units, estimated_dollar_risk, required_margin, ...unsized } = analysis;
  const result = { analysis: unsized, quoteToUsd: null, candlesSha256: receipt.candles.sha256 };
  const usage = { model: receipt.model, promptTokens: 0, completionTokens: 0, costUsd: 0 };
  const answer = presentSignal({ ...signal, ...done, analysis });
  const joined = await signals.find({ analysisId }).toArray();
  const finishSignals = joined.map(
    ({ _id }): Write =>
      (options) =>
        signals.updateOne({ _id }, { $set: { ...done, analysis } }, options),
  );
  await takeStep(on, {
    userId,
    writes: [
      (options) =>
        nativeCollection(database.marketAnalyses).updateOne(
          { _id: analysisId },
          { $set: { ...done, result, receipt } },
          options,
        ),
      ...finishSignals,
      (options) =>
        nativeCollection(database.analysisCandles).insertOne({ _id: analysisId, candles }, options),
      (options) =>
        nativeCollection(database.signalUsages).insertOne(
          { _id: analysisId, at: finishedAt, ...usage },
          options,
        ),
    ],
    name: "signal:completed",
    data: answer,
  });
  return answer;
}

await runService("worker", async (settings, uri) => {
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
