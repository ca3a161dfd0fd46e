import type { Database } from "@shared/database/database.ts";
import { z } from "zod";

export interface QueueDepth {
  /** Analyses that users have requested. */
  waiting: number;
  /** Those that only watchers wait for. All requests are ahead of them. */
  scheduledWaiting: number;
  running: number;
  /** Age of the oldest waiting request; 0 without one. */
  oldestWaitingSeconds: number;
}

/** A scheduled analysis has no user, and is its own first signal. */
const IS_SCHEDULED = {
  $and: [
    { $eq: ["$status", "queued"] },
    { $eq: [{ $type: "$userId" }, "missing"] },
    { $eq: ["$joinedSignals", 1] },
  ],
} as const;

const groupsSchema = z.array(z.object({ _id: z.string(), count: z.number(), oldest: z.date() }));

/** Counts the unfinished analyses with the partial index that holds only these. */
export async function readQueueDepth(database: Database, now: Date): Promise<QueueDepth> {
  const _id = { $cond: [IS_SCHEDULED, "scheduled", "$status"] };
  const found = await database.marketAnalyses.aggregate([
    { $match: { status: { $in: ["queued", "running"] }, updatedAt: { $gt: new Date(0) } } },
    { $group: { _id, count: { $sum: 1 }, oldest: { $min: "$createdAt" } } },
  ]);
  const groups = new Map(groupsSchema.parse(found).map((group) => [group._id, group]));
  const waiting = groups.get("queued");
  const ageMs = waiting ? now.getTime() - waiting.oldest.getTime() : 0;
  return {
    waiting: waiting?.count ?? 0,
    scheduledWaiting: groups.get("scheduled")?.count ?? 0,
    running: groups.get("running")?.count ?? 0,
    oldestWaitingSeconds: Math.max(0, ageMs) / 1_000,
  };
}
