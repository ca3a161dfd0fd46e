import { instrumentClass } from "@shared/contract/instruments.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";
import { nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignal, presentSignalRef } from "@shared/domain/present-signal.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { Worker } from "bullmq";
import { Types } from "mongoose";
import { z } from "zod";
import { generateSignal } from "../../../worker/src/analysis/analyse-market.ts";
import { instantServices } from "../instant-services.ts";
import { redisOptions, SIGNALS_QUEUE, takeStep, type Write } from "./step.ts";

const TIMEOUT_MS = 60_000;

const jobSchema = z.object({ signalId: z.string() });

const settings = loadSettings();
const database = await openDatabase({ uri: settings.MONGODB_URI ?? "" });
const signals = nativeCollection(database.signals);
const analyses = nativeCollection(database.marketAnalyses);

async function runSignal(signalId: string) {
  const signal = await signals.findOne({ _id: new Types.ObjectId(signalId) });
  if (!signal) throw new Error(`there is no signal ${signalId}`);
  const { analysisId, userId } = signal;
  const startedAt = new Date();
  const running = { status: "running", startedAt, updatedAt: startedAt } as const;
  await takeStep(database, {
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
  return storeResult(signal, generated);
}

/** Finishes the analysis and its signals: others may have joined it, as in the product. */
async function storeResult(
  signal: SignalRecord,
  { analysis, receipt, candles }: Awaited<ReturnType<typeof generateSignal>>,
) {
  const { analysisId: _id, userId } = signal;
  const finishedAt = new Date();
  const done = { status: "completed", finishedAt, updatedAt: finishedAt } as const;
  const { suggested_units, estimated_dollar_risk, required_margin, ...unsized } = analysis;
  const result = { analysis: unsized, quoteToUsd: null, candlesSha256: receipt.candles.sha256 };
  const usage = { model: receipt.model, promptTokens: 0, completionTokens: 0, costUsd: 0 };
  const joined = await signals.find({ analysisId: _id }).toArray();
  const finishSignal =
    ({ _id }: SignalRecord): Write =>
    (options) =>
      signals.updateOne({ _id }, { $set: { ...done, analysis } }, options);
  const data = presentSignal({ ...signal, ...done, analysis });
  await takeStep(database, {
    userId,
    writes: [
      (options) => analyses.updateOne({ _id }, { $set: { ...done, result, receipt } }, options),
      ...joined.map(finishSignal),
      (options) => nativeCollection(database.analysisCandles).insertOne({ _id, candles }, options),
      (options) =>
        nativeCollection(database.signalUsages).insertOne(
          { _id, at: finishedAt, ...usage },
          options,
        ),
    ],
    name: "signal:completed",
    data,
  });
  return data;
}

const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
const worker = new Worker(
  SIGNALS_QUEUE,
  async ({ data }) => {
    const { signalId } = jobSchema.parse(data);
    logger.info({ signalId }, "signal started");
    const answer = await runSignal(signalId);
    logger.info({ signalId }, "signal finished");
    return answer;
  },
  { connection: redisOptions, concurrency: settings.WORKER_CONCURRENCY },
);
worker.on("failed", (job, error) => logger.error({ err: error, job: job?.id }, "job failed"));
await worker.waitUntilReady();
logger.info("worker ready");
logger.flush();
