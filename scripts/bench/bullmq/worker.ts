import { instrumentClass } from "@shared/contract/instruments.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";
import { nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignal, presentSignalRef } from "@shared/domain/present-signal.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { Worker } from "bullmq";
import { Types } from "mongoose";
import { generateSignal } from "../../../worker/src/analysis/analyse-market.ts";
import { instantServices } from "../instant-services.ts";
import {
  jobSchema,
  openPush,
  redisOptions,
  SIGNALS_QUEUE,
  type Stores,
  takeStep,
  type Write,
} from "./store.ts";

const TIMEOUT_MS = 60_000;

async function runSignal(stores: Stores, signalId: Types.ObjectId) {
  const signals = nativeCollection(stores.database.signals);
  const analyses = nativeCollection(stores.database.marketAnalyses);
  const signal = await signals.findOne({ _id: signalId });
  if (!signal) throw new Error(`there is no signal ${signalId}`);
  const { analysisId, userId } = signal;
  const startedAt = new Date();
  const running = { status: "running", startedAt, updatedAt: startedAt } as const;
  await takeStep(stores, {
    userId,
    writes: [
      (options) => analyses.updateOne({ _id: analysisId }, { $set: running }, options),
      (options) => signals.updateMany({ analysisId }, { $set: running }, options),
    ],
    name: "signal:started",
    data: presentSignalRef(signal),
  });
  const generated = await generateSignal({
    request: signal,
    marketData: instantServices.market.marketData,
    analyst: instantServices.analyst,
    costs: DEFAULT_TRADING_COSTS[instrumentClass(signal.symbol)],
    now: Date.now,
    abort: AbortSignal.timeout(TIMEOUT_MS),
  });
  return storeResult(stores, signal, generated);
}

/** Finishes the analysis and its signals: others may have joined it, as in the product. */
async function storeResult(
  stores: Stores,
  signal: SignalRecord,
  { analysis, receipt, candles }: Awaited<ReturnType<typeof generateSignal>>,
) {
  const { analysisId: _id, userId } = signal;
  const { marketAnalyses, signals, analysisCandles, signalUsages } = stores.database;
  const finishedAt = new Date();
  const done = { status: "completed", finishedAt, updatedAt: finishedAt } as const;
  const { suggested_units, estimated_dollar_risk, required_margin, ...unsized } = analysis;
  const result = { analysis: unsized, quoteToUsd: null, candlesSha256: receipt.candles.sha256 };
  const usage = { model: receipt.model, promptTokens: 0, completionTokens: 0, costUsd: 0 };
  const joined = await nativeCollection(signals).find({ analysisId: _id }).toArray();
  const finish = { $set: { ...done, result, receipt } };
  const data = presentSignal({ ...signal, ...done, analysis });
  await takeStep(stores, {
    userId,
    writes: [
      (options) => nativeCollection(marketAnalyses).updateOne({ _id }, finish, options),
      ...joined.map(
        ({ _id }): Write =>
          (options) => {
            return nativeCollection(signals).updateOne(
              { _id },
              { $set: { ...done, analysis } },
              options,
            );
          },
      ),
      (options) => nativeCollection(analysisCandles).insertOne({ _id, candles }, options),
      (options) =>
        nativeCollection(signalUsages).insertOne({ _id, at: finishedAt, ...usage }, options),
    ],
    name: "signal:completed",
    data,
  });
  return data;
}

await runService("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const push = openPush();
  const worker = new Worker(
    SIGNALS_QUEUE,
    async (job) => {
      const { signalId } = jobSchema.parse(job.data);
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
