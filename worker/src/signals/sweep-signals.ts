import { enqueueSignal, removeEndedJobs, signalsWithJob } from "@shared/node/queue.ts";
import type { Agenda } from "agenda";
import type { WorkerDeps } from "../worker-deps.ts";

/** A signal younger than this may still be on its way into the queue. */
const STRANDED_AFTER_MS = 10_000;
const BATCH_SIZE = 500;

/**
 * Queues signals again that nobody works on: their server died between storing and queueing them, or their
 * worker handed them back.
 */
export async function sweepSignals(agenda: Agenda, deps: WorkerDeps): Promise<void> {
  const { database, logger, now } = deps;
  await removeEndedJobs(database);
  const unfinished = await database.signals
    .find({
      status: { $in: ["queued", "running"] },
      updatedAt: { $lt: new Date(now().getTime() - STRANDED_AFTER_MS) },
    })
    .sort({ updatedAt: 1 })
    .limit(BATCH_SIZE)
    .select({ userId: 1, requestId: 1 })
    .lean();
  const withJob = await signalsWithJob(
    database,
    unfinished.map(({ _id }) => String(_id)),
  );
  for (const signal of unfinished) {
    if (withJob.has(String(signal._id))) continue;
    await enqueueSignal(agenda, signal);
    logger.warn({ signalId: signal._id }, "stranded signal queued again");
  }
}
