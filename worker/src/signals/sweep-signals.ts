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
    .select({ _id: 1 })
    .lean();
  const ids = unfinished.map((signal) => signal._id.toString());
  const withJob = await signalsWithJob(database, ids);
  for (const signalId of ids.filter((id) => !withJob.has(id))) {
    await enqueueSignal(agenda, signalId);
    logger.warn({ signalId }, "stranded signal queued again");
  }
}
