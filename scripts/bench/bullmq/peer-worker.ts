import { instrumentClass } from "@shared/contract/instruments.ts";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { signalJobDataSchema } from "@shared/node/models/job.ts";
import { nativeCollection } from "@shared/node/native-collection.ts";
import { runPart } from "@shared/node/run-part.ts";
import { presentSignal, presentSignalRef } from "@shared/node/signals/present-signal.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/node/trading-costs.ts";
import { Worker } from "bullmq";
import { Types } from "mongoose";
import { generateSignal } from "../../../worker/src/signals/generate-signal.ts";
import { instantServices } from "../instant-services.ts";
import { redisOptions, SIGNALS_QUEUE } from "./peer-env.ts";
import { openPush, type Push } from "./peer-push.ts";
import { takeStep } from "./peer-store.ts";

const RUN_MS = 60_000;

async function runSignal(on: { database: Database; push: Push }, signalId: Types.ObjectId) {
  const signals = nativeCollection(on.database.signals);
  const signalCandles = nativeCollection(on.database.signalCandles);
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
    receipt,
    finishedAt,
    updatedAt: finishedAt,
  } as const;
  const usage = { model: receipt.model, promptTokens: 0, completionTokens: 0, costUsd: 0 };
  const answer = presentSignal({ ...signal, ...done });
  await takeStep(on, {
    userId,
    writes: [
      (options) => signals.updateOne({ _id }, { $set: done }, options),
      (options) => signalCandles.insertOne({ _id, candles }, options),
      (options) => signalUsages.insertOne({ _id, at: finishedAt, ...usage }, options),
    ],
    name: "signal:completed",
    data: answer,
  });
  return answer;
}

await runPart("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const push = openPush();
  const worker = new Worker(
    SIGNALS_QUEUE,
    async (job) => {
      const { signalId } = signalJobDataSchema.parse(job.data);
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
