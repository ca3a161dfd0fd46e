import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ANALYSIS_SETUP_ID } from "@shared/database/models/worker-reports.ts";
import { dayOf } from "@shared/domain/ai-budget.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { findActiveWorkers } from "@shared/work/active-workers.ts";
import type { Types } from "mongoose";
import { z } from "zod";
import { cachedRead } from "../../http/caching.ts";
import { analysesUsedUp, rateLimited, unavailable } from "../../http/errors.ts";
import type { QueueDepth } from "../../http/server-metrics.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** As many as a user may request per minute. */
export const MAX_UNFINISHED_PER_USER = 60;

/** A signal takes a few seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Waiting signals per analysis slot of all workers. An analysis takes about 5 s, so the last one is made within the 60 s
 * that its request waits.
 */
const MAX_WAITING_PER_SLOT = 10;

/** Slots assumed without active workers: enough for the time of a restart. */
export const MIN_CAPACITY = 50;

const REREAD_AFTER_MS = 500;

/** Rejects requests that could not be processed in time. */
export async function assertQueueCapacity(deps: ServerDeps): Promise<void> {
  if (await isQueueFull(deps)) throw unavailable();
}

const isQueueFull = cachedRead(
  REREAD_AFTER_MS,
  async ({ database, now }: ServerDeps): Promise<boolean> => {
    const { waiting } = await readQueueDepth(database, now());
    if (waiting < MIN_CAPACITY * MAX_WAITING_PER_SLOT) return false;
    const workers = await findActiveWorkers(database);
    const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    return waiting >= Math.max(slots, MIN_CAPACITY) * MAX_WAITING_PER_SLOT;
  },
);

/**
 * Limits a user's unfinished signals.
 * @param ahead unfinished signals including the new one; changes of one user run one at a time
 */
export function assertUserLimit({ settings }: ServerDeps, ahead: number): void {
  if (settings.RATE_LIMIT === "off" || ahead < MAX_UNFINISHED_PER_USER) return;
  throw rateLimited(RETRY_AFTER_SECONDS);
}

/** For a second after workers start with another setup, requests may still join an analysis of the previous setup. */
export const readAnalysisSetup = cachedRead(1_000, ({ database }: ServerDeps) =>
  database.analysisSetup.findById(ANALYSIS_SETUP_ID).lean().exec(),
);

/** AI analyses that the requests of one user may start a day; null without a limit. The rules cost nothing. */
async function readAnalysisLimit(deps: ServerDeps): Promise<number | null> {
  const { RATE_LIMIT, ANALYSES_PER_USER_PER_DAY: limit } = deps.settings;
  if (RATE_LIMIT === "off" || limit === null) return null;
  return (await readAnalysisSetup(deps))?.analyst === "rules" ? null : limit;
}

/** Rejects a request for an own analysis early. */
export async function assertAnalysesLeft(
  deps: ServerDeps,
  { analyses }: Pick<UserRecord, "analyses">,
): Promise<void> {
  const limit = await readAnalysisLimit(deps);
  const at = deps.now();
  if (limit === null || analyses?.day !== dayOf(at) || analyses.count < limit) return;
  throw analysesUsedUp(limit, at);
}

/** Counts an analysis that a user's request starts, in its transaction. */
export async function countAnalysis(
  deps: ServerDeps,
  { session, at }: UnitOfWork,
  userId: Types.ObjectId,
): Promise<void> {
  const limit = await readAnalysisLimit(deps);
  if (limit === null) return;
  const day = dayOf(at);
  const ofToday = { $cond: [{ $eq: ["$analyses.day", day] }, "$analyses.count", 0] };
  const user = await deps.database.users
    .findOneAndUpdate(
      { _id: userId },
      [{ $set: { analyses: { day, count: { $add: [ofToday, 1] } } } }],
      { session, projection: { analyses: 1 }, returnDocument: "after", updatePipeline: true },
    )
    .lean();
  if ((user?.analyses?.count ?? 0) > limit) throw analysesUsedUp(limit, at);
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
