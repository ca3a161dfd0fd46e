import type { Database } from "../database/database.ts";
import {
  HEARTBEAT_TIMEOUT_SECONDS,
  type WorkerStatusRecord,
} from "../database/models/worker-reports.ts";

/** The workers with a recent heartbeat, by the clock of the database; the longest running first. */
export function findActiveWorkers({ workerStatuses }: Database): Promise<WorkerStatusRecord[]> {
  const oldest = { $subtract: ["$$NOW", HEARTBEAT_TIMEOUT_SECONDS * 1_000] };
  return workerStatuses
    .find({ $expr: { $gte: ["$seenAt", oldest] } })
    .sort({ startedAt: 1, _id: 1 })
    .lean()
    .exec();
}
