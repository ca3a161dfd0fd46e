import type { Database } from "@shared/database/database.ts";
import { z } from "zod";

/** Unfinished analyses. */
export interface QueueDepth {
  waiting: number;
  running: number;
  /** Age of the oldest waiting analysis; 0 without one. */
  oldestWaitingSeconds: number;
}

const groupsSchema = z.array(z.object({ _id: z.string(), count: z.number(), oldest: z.date() }));

/** Counts the unfinished analyses with the partial index that holds only these. */
export async function readQueueDepth(database: Database, now: Date): Promise<QueueDepth> {
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
