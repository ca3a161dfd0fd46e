import { UNFINISHED } from "@shared/database/models/signal.ts";
import {
  CHECK_ENTRY_JOB,
  newAnalysisJob,
  requestPriority,
  watchPriority,
} from "@shared/domain/queue-analysis.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { addItemIfNone, newWorkItem } from "@shared/work/work-item.ts";
import { Types } from "mongoose";
import { z } from "zod";
import type { WorkerDeps } from "../worker-deps.ts";
import { fanOutWork } from "./fan-out.ts";

type SweepDeps = Pick<WorkerDeps, "database" | "logger" | "now">;

const BATCH_SIZE = 500;

/** Uses the index of unfinished signals. */
const byUnfinishedIndex = { ...UNFINISHED, updatedAt: { $gt: new Date(0) } };

/**
 * Queues analyses again whose job was deleted by an admin, and finished ones for which signals wait without an entry check.
 * Superfluous jobs are deleted when claimed.
 */
export async function requeueStrandedSignals({ database, logger, now }: SweepDeps): Promise<void> {
  const unfinished = await database.signals
    .find(byUnfinishedIndex)
    .sort({ updatedAt: 1 })
    .limit(BATCH_SIZE)
    .select({ analysisId: 1, userId: 1, requestId: 1 })
    .lean();
  // Scheduled analyses need no signals.
  const scheduled = await database.marketAnalyses
    .find({ "fanOut.after": { $exists: true }, finishedAt: { $exists: false } })
    .limit(BATCH_SIZE)
    .select({ _id: 1 })
    .lean();
  const waiting = [
    ...unfinished.map((signal) => ({ ...signal, priority: requestPriority(now()) })),
    ...scheduled.map(({ _id: analysisId }) => ({ analysisId, priority: watchPriority(0) })),
  ];
  const ids = waiting.map(({ analysisId }) => analysisId);
  const jobs = await database.jobs
    .find({ _id: { $in: ids } })
    .select({ _id: 1 })
    .lean();
  const checked = await database.jobs.distinct("data.analysisId", { name: CHECK_ENTRY_JOB });
  const withJob = new Set([...jobs.map(({ _id }) => String(_id)), ...checked.map(String)]);
  for (const { analysisId, priority, ...asked } of waiting) {
    if (withJob.has(String(analysisId))) continue;
    withJob.add(String(analysisId));
    const job = newAnalysisJob({ ...asked, _id: analysisId }, { at: now(), priority });
    await addItemIfNone(database, job);
    logger.warn({ analysisId }, "stranded analysis queued again");
  }
}

/** Queues fan-outs again whose item was deleted by an admin, and those of an earlier version, which had none. */
export async function requeueFanOuts({ database, logger, now }: SweepDeps): Promise<void> {
  const watched = await database.marketAnalyses
    .find({ "fanOut.after": { $exists: true }, finishedAt: { $exists: true } })
    .limit(BATCH_SIZE)
    .select({ _id: 1 })
    .lean();
  const items = watched.map(({ _id }) => newWorkItem(fanOutWork(_id, now())));
  const ids = items.map(({ _id }) => _id);
  const stored = new Set((await database.jobs.distinct("_id", { _id: { $in: ids } })).map(String));
  for (const item of items) {
    if (stored.has(String(item._id))) continue;
    await addItemIfNone(database, item);
    logger.warn({ itemId: item._id }, "stranded fan-out queued again");
  }
}

const countsSchema = z.array(z.object({ _id: z.instanceof(Types.ObjectId), count: z.number() }));

export async function repairUnfinishedCounts({ database, logger }: SweepDeps): Promise<void> {
  const counted = await database.signals.aggregate([
    { $match: byUnfinishedIndex },
    { $group: { _id: "$userId", count: { $sum: 1 } } },
  ]);
  const counts = new Map(countsSchema.parse(counted).map(({ _id, count }) => [String(_id), count]));
  const stored = await database.users
    .find({ $or: [{ unfinishedSignals: { $gt: 0 } }, { _id: { $in: [...counts.keys()] } }] })
    .select({ unfinishedSignals: 1 })
    .lean();
  for (const { _id, unfinishedSignals } of stored) {
    if (unfinishedSignals === (counts.get(String(_id)) ?? 0)) continue;
    const isRepaired = await repairUnfinishedCount(database, _id);
    if (isRepaired) logger.warn({ userId: _id }, "number of unfinished signals corrected");
  }
}

function repairUnfinishedCount(
  database: SweepDeps["database"],
  userId: Types.ObjectId,
): Promise<boolean> {
  return commit(database, { lockKeys: userStream(userId) }, async ({ session }) => {
    const unfinishedSignals = await database.signals.countDocuments(
      { userId, ...UNFINISHED },
      { session },
    );
    const { modifiedCount } = await database.users.updateOne(
      { _id: userId, unfinishedSignals: { $ne: unfinishedSignals } },
      { $set: { unfinishedSignals } },
      { session },
    );
    return modifiedCount > 0;
  });
}
