import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { signalIdOfJob } from "@shared/node/queue/signal-job.ts";
import { runPart } from "@shared/node/run-part.ts";
import { presentSignal, presentSignalRef } from "@shared/node/signals/present-signal.ts";
import { Worker } from "bullmq";
import { generateSignal } from "../../../worker/src/signals/generate-signal.ts";
import { instantServices } from "../instant-services.ts";
import { redisOptions, SIGNALS_QUEUE } from "./peer-env.ts";
import { openPush, type Push } from "./peer-push.ts";
import { takeStep } from "./peer-store.ts";

const RUN_MS = 60_000;

async function runSignal(on: { database: Database; push: Push }, signalId: string) {
  const { signals, signalCandles } = on.database;
  const signal = await signals.findById(signalId).lean();
  if (!signal) throw new Error(`there is no signal ${signalId}`);
  const { _id, userId } = signal;
  const startedAt = new Date();
  const running = { status: "running", startedAt, updatedAt: startedAt } as const;
  await takeStep(on, {
    userId,
    writes: [() => signals.collection.updateOne({ _id }, { $set: running })],
    name: "signal:started",
    data: presentSignalRef(signal),
  });
  const { analysis, receipt, candles } = await generateSignal({
    request: signal,
    marketData: instantServices.market.marketData,
    analyst: instantServices.analyst,
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
  const answer = presentSignal({ ...signal, ...done });
  await takeStep(on, {
    userId,
    writes: [
      () => signals.collection.updateOne({ _id }, { $set: done }),
      () => signalCandles.collection.insertOne({ _id, candles }),
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
      const signalId = signalIdOfJob(job.data);
      logger.info({ signalId }, "signal started");
      const answer = await runSignal({ database, push }, signalId);
      logger.info({ signalId }, "signal finished");
      return answer;
    },
    { connection: redisOptions, concurrency: settings.WORKER_CONCURRENCY },
  );
  worker.on("failed", (job, error) => logger.error({ err: error, job: job?.id }, "job failed"));
  await worker.waitUntilReady();
  logger.info("worker ready");
  return {
    logger,
    async stop() {
      await worker.close();
      await push.close();
      await database.close();
    },
  };
});
