import type { Db } from "mongodb";
import type { Migration } from "./migration.ts";

const COUNTERS = "stream_counters";

/**
 * The counters of the streams lay in a collection of their own; now they lie among the events, and count a user's
 * unfinished signals too. Parts of the release before would go on with the old ones: they have to be stopped first. One
 * that is not harms nothing, as no number is stored twice, but what it tells is refused.
 */
export const moveStreamHeads: Migration = {
  id: "2026-11-22-move-stream-heads",
  async up(db) {
    await copyCounters(db);
    await countUnfinished(db);
    await db.collection(COUNTERS).drop();
  },
};

async function copyCounters(db: Db): Promise<void> {
  const head = { $project: { head: "$seq" } };
  const latest = [{ $set: { head: { $max: ["$head", "$$new.head"] } } }];
  const intoEvents = { $merge: { into: "events", whenMatched: latest } };
  await db.collection(COUNTERS).aggregate([head, intoEvents]).toArray();
}

async function countUnfinished(db: Db): Promise<void> {
  const unfinished = { $match: { status: { $in: ["queued", "running"] } } };
  const byUser = { $group: { _id: "$userId", unfinished: { $sum: 1 } } };
  const byStream = { $set: { _id: { $concat: ["user:", { $toString: "$_id" }] } } };
  const intoHeads = {
    $merge: { into: "events", whenMatched: "merge", whenNotMatched: "discard" },
  };
  await db.collection("signals").aggregate([unfinished, byUser, byStream, intoHeads]).toArray();
}
