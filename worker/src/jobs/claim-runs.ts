import { type Database, nativeCollection } from "@shared/database/database.ts";
import {
  analysisJobDataSchema,
  GENERATE_SIGNAL_JOB,
  type JobRecord,
} from "@shared/database/models/job.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Filter } from "mongodb";
import type { Types } from "mongoose";
import {
  type AnalysisRun,
  finishOtherSignals,
  startOtherSignals,
  startRuns,
} from "../signals/signal-lifecycle.ts";

/**
 * A crashed worker's jobs are taken over after this time. Locks are renewed several times in it, so one late renewal is
 * harmless.
 */
export const JOB_LOCK_MS = 20_000;

const IN_ORDER = { priority: -1, nextRunAt: 1 } as const;

type JobsDatabase = Pick<Database, "jobs">;

interface JobSelection {
  running: readonly Types.ObjectId[];
  limit: number;
}

export type ClaimableJob = Pick<JobRecord, "_id" | "data">;

const isDue = {
  name: GENERATE_SIGNAL_JOB,
  nextRunAt: { $ne: null },
  disabled: { $ne: true },
};

export interface LockOwner {
  workerId: string;
  lockMs: number;
}

const isExpired = ({ lockMs }: LockOwner) => ({
  $expr: { $lt: ["$lockedAt", { $subtract: ["$$NOW", lockMs] }] },
});

/** Waiting jobs, except those that this worker runs, in the order in which they are to run. */
export const findWaitingJobs = (
  database: JobsDatabase,
  { running, limit }: JobSelection,
): Promise<ClaimableJob[]> =>
  findDueJobs(database, { _id: { $nin: [...running] }, lockedAt: null }, limit);

export const countLockedJobs = ({ jobs }: JobsDatabase): Promise<number> =>
  jobs.countDocuments({ name: GENERATE_SIGNAL_JOB, lockedAt: { $ne: null } });

/** Jobs that this worker locked without learning of it, as the reply was lost, and expired locks of other workers. */
export function findStrandedJobs(
  database: JobsDatabase,
  options: LockOwner & JobSelection & { mayTakeOver: boolean },
): Promise<ClaimableJob[]> {
  const { workerId, running, mayTakeOver, limit } = options;
  const filter = {
    ...{ _id: { $nin: [...running] }, lockedAt: { $ne: null } },
    $or: [{ lastModifiedBy: workerId }, ...(mayTakeOver ? [isExpired(options)] : [])],
  };
  return findDueJobs(database, filter, limit);
}

const findDueJobs = (
  database: JobsDatabase,
  filter: Filter<JobRecord>,
  limit: number,
): Promise<ClaimableJob[]> =>
  nativeCollection(database.jobs)
    .find({ ...isDue, ...filter }, { projection: { data: 1 } })
    .sort(IN_ORDER)
    .limit(limit)
    .toArray();

/**
 * Locks jobs and starts their analyses in one transaction. Jobs that another worker has claimed are left out.
 * A finished analysis whose signals are not finished, after a crash, is completed without a run.
 */
export async function claimRuns(
  database: Database,
  jobs: readonly ClaimableJob[],
  owner: LockOwner,
): Promise<AnalysisRun[]> {
  const lockKeys = jobs.flatMap(({ data }) => {
    const parsed = analysisJobDataSchema.safeParse(data);
    return parsed.data?.userId ? [userStream(parsed.data.userId)] : [];
  });
  const claimed = await commit(database, { lockKeys }, async (uow) => {
    const locked = await lockJobs(database, uow, { jobs, owner });
    return { locked, ...(await startRuns(database, uow, locked)) };
  });
  const { runs, hasMore, locked } = claimed;
  if (hasMore) await startOtherSignals(database, runs);
  const started = new Set(runs.map(({ _id }) => String(_id)));
  for (const id of locked) {
    if (!started.has(String(id))) await finishOtherSignals(database, id);
  }
  return runs;
}

async function lockJobs(
  database: JobsDatabase,
  { session }: UnitOfWork,
  { jobs, owner }: { jobs: readonly ClaimableJob[]; owner: LockOwner },
): Promise<Types.ObjectId[]> {
  const all = nativeCollection(database.jobs);
  const ids = { _id: { $in: jobs.map(({ _id }) => _id) } };
  const { workerId } = owner;
  const isFree = { $or: [{ lockedAt: null }, { lastModifiedBy: workerId }, isExpired(owner)] };
  const { matchedCount } = await all.updateMany(
    { ...ids, ...isDue, ...isFree },
    [{ $set: { lockedAt: "$$NOW", lastModifiedBy: workerId } }],
    { session },
  );
  if (matchedCount === jobs.length) return jobs.map(({ _id }) => _id);
  const held = await all
    .find({ ...ids, ...isDue, lastModifiedBy: workerId }, { session, projection: { _id: 1 } })
    .toArray();
  return held.map(({ _id }) => _id);
}

/**
 * Renews the locks of running jobs.
 * @returns ids of those whose lock was lost
 */
export async function renewLocks(
  database: JobsDatabase,
  { ids, workerId }: { ids: readonly Types.ObjectId[]; workerId: string },
): Promise<Types.ObjectId[]> {
  const jobs = nativeCollection(database.jobs);
  const own = { _id: { $in: [...ids] }, lastModifiedBy: workerId, lockedAt: { $ne: null } };
  const { matchedCount } = await jobs.updateMany(own, [{ $set: { lockedAt: "$$NOW" } }]);
  if (matchedCount === ids.length) return [];
  const held = await jobs.find(own, { projection: { _id: 1 } }).toArray();
  return ids.filter((id) => !held.some(({ _id }) => _id.equals(id)));
}

/** Returns all jobs of a worker to the queue, also those that it locked without learning of it. */
export async function releaseJobs(database: JobsDatabase, workerId: string): Promise<void> {
  await nativeCollection(database.jobs).updateMany(
    { name: GENERATE_SIGNAL_JOB, lockedAt: { $ne: null }, lastModifiedBy: workerId },
    { $set: { lockedAt: null, lastModifiedBy: null } },
  );
}
