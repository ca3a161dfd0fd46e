import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../database.ts";
import { WORKER_GONE_SECONDS } from "../models/worker-status.ts";
import type { WorkerPlace } from "./job-turns.ts";

/** How long a worker that has just reported as alive may go unnoticed by the others. */
const REREAD_AFTER_MS = 1_000;

/** For the others' way to the database and back. */
const MARGIN_MS = 200;

/** The workers that have reported as alive, but for `workerId`; read from the database once a second at most. */
export function otherWorkersOf(
  database: Pick<Database, "workerStatuses">,
  workerId: string,
): () => Promise<WorkerPlace[]> {
  let known: WorkerPlace[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - readAt < REREAD_AFTER_MS) return known;
    const goneBefore = new Date(Date.now() - WORKER_GONE_SECONDS * 1_000);
    const others = await database.workerStatuses
      .find({ _id: { $ne: workerId }, seenAt: { $gte: goneBefore } })
      .lean();
    known = others.map(({ _id, concurrency }) => ({ id: _id, capacity: concurrency }));
    readAt = performance.now();
    return known;
  };
}

/**
 * For a worker that has reported as alive and is about to take its first job: waits until all others know of it, so that
 * none of them still takes itself for the only one. If two come at once, one of them at least sees the other.
 */
export async function untilOthersKnow(
  database: Pick<Database, "workerStatuses">,
  workerId: string,
): Promise<void> {
  const others = await otherWorkersOf(database, workerId)();
  if (others.length > 0) await delay(REREAD_AFTER_MS + MARGIN_MS);
}
