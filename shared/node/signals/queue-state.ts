import { z } from "zod";
import type { Database } from "../database.ts";

/** How much work there is. */
export interface QueueState {
  /** Analyses that no worker has begun. */
  waiting: number;
  /** Analyses in work. */
  running: number;
  /** Age of the longest waiting analysis in seconds; 0 when none waits. */
  oldestWaitingSeconds: number;
}

const groupsSchema = z.array(z.object({ _id: z.string(), count: z.number(), oldest: z.date() }));

/** Counts the unfinished analyses, by the index that holds no others. */
export async function readQueueState(database: Database, now: Date): Promise<QueueState> {
  const found = await database.marketAnalyses.aggregate([
    { $match: { status: { $in: ["queued", "running"] }, updatedAt: { $gt: new Date(0) } } },
    { $group: { _id: "$status", count: { $sum: 1 }, oldest: { $min: "$createdAt" } } },
  ]);
  const groups = new Map(groupsSchema.parse(found).map((group) => [group._id, group]));
  const waiting = groups.get("queued");
  const ageMs = waiting ? now.getTime() - waiting.oldest.getTime() : 0;
  return {
    waiting: waiting?.count ?? 0,
    running: groups.get("running")?.count ?? 0,
    oldestWaitingSeconds: Math.max(0, ageMs) / 1_000,
  };
}
