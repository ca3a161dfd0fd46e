import { WORKER_GONE_SECONDS, type WorkerStatusRecord } from "@shared/node/models/worker-status.ts";
import type { ServerDeps } from "../server-deps.ts";

/** The workers that were seen lately, the longest running first. */
export function livingWorkers({
  database,
  now,
}: Pick<ServerDeps, "database" | "now">): Promise<WorkerStatusRecord[]> {
  const goneBefore = new Date(now().getTime() - WORKER_GONE_SECONDS * 1_000);
  return database.workerStatuses
    .find({ seenAt: { $gte: goneBefore } })
    .sort({ startedAt: 1, _id: 1 })
    .lean();
}
