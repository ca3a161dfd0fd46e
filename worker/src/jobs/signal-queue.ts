import { ChangeFeed } from "@shared/database/change-feed.ts";
import { type Database, nativeCollection } from "@shared/database/database.ts";
import {
  analysisJobDataSchema,
  GENERATE_SIGNAL_JOB,
  JOBS_COLLECTION,
  type JobRecord,
} from "@shared/database/models/job.ts";
import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { ENTRY_CHECK_PRIORITY } from "@shared/domain/queue-analysis.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Filter } from "mongodb";
import type { Types } from "mongoose";
import { type AnalysisRun, startOtherSignals, startRuns } from "../signals/signal-lifecycle.ts";

/**
 * A crashed worker's jobs are taken over after this time. Locks are renewed several times in it, so one late renewal is
 * harmless.
 */
const JOB_LOCK_MS = 20_000;

const RENEWALS = 5;

/** Polling finds stranded jobs, and jobs that were left to other workers. */
const POLL_INTERVAL_MS = 1_000;

/** Keeps the transaction short for others that need the locked documents. */
const MAX_CLAIMED = 25;

const MAX_FOUND = 200;

/** Beside the analyses, as requests wait for them that need no analyst. */
const MAX_REUSES = 20;

interface SignalQueueOptions {
  database: Database;
  logger: Logger;
  workerId: string;
  concurrency: number;
  lockMs?: number;
  /** `abort` fires when the job is lost to another worker or has to be returned. */
  run: (analysis: AnalysisRun, abort: AbortSignal) => Promise<void>;
  /** Finishes the signals that wait for a finished analysis, and deletes its job. */
  reuse: (analysisId: Types.ObjectId, abort: AbortSignal) => Promise<void>;
}

interface Run {
  analysisId: Types.ObjectId;
  isReuse: boolean;
  abort: AbortController;
  ended: Promise<void>;
}

/** Claims analyses and runs them. A run that has lost its lock can no longer change anything. */
export class SignalQueue {
  readonly #options: SignalQueueOptions;
  readonly #feed: ChangeFeed;
  readonly #running = new Map<string, Run>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #owner: LockOwner;
  readonly #renewIntervalMs: number;
  readonly #contact: DatabaseContact;
  #isStopped = false;
  #claiming: Promise<void> | undefined;
  /** Whether jobs may wait that this worker has not found or has left. */
  #mayWait = false;

  constructor(options: SignalQueueOptions) {
    const { workerId, lockMs = JOB_LOCK_MS } = options;
    this.#options = options;
    this.#owner = { workerId, lockMs };
    this.#renewIntervalMs = lockMs / RENEWALS;
    // One renewal may be late.
    this.#contact = new DatabaseContact({ maxGapMs: 2 * this.#renewIntervalMs });
    this.#feed = new ChangeFeed({
      ...options,
      collection: JOBS_COLLECTION,
      match: { name: GENERATE_SIGNAL_JOB },
      onWrite: () => this.#claimSoon(),
      onOpen: () => this.#claimSoon(),
    });
  }

  start(): void {
    void this.#feed.start();
    this.#timers.push(
      setInterval(() => void this.#renew(), this.#renewIntervalMs),
      setInterval(() => this.#poll(), POLL_INTERVAL_MS),
    );
  }

  /** Waits for the runs to end; after `drainMs` the rest is returned to the queue. */
  async stop({ drainMs }: { drainMs: number }): Promise<void> {
    const { database, logger, workerId } = this.#options;
    this.#isStopped = true;
    await this.#feed.stop();
    await this.#claiming;
    const runs = [...this.#running.values()];
    const handBack = setTimeout(() => {
      for (const { abort } of runs) abort.abort(new Error("The worker is stopping."));
    }, drainMs);
    await Promise.all(runs.map(({ ended }) => ended));
    clearTimeout(handBack);
    for (const timer of this.#timers) clearInterval(timer);
    try {
      await releaseJobs(database, workerId);
    } catch (error) {
      logger.warn({ err: error }, "jobs could not be released; their locks will expire");
    }
  }

  #claimSoon(): void {
    this.#mayWait = true;
    if (!this.#claiming) this.#claim(() => this.#findShare());
  }

  #poll(): void {
    if (!this.#claiming && this.#freeSlots() > 0) this.#claim(() => this.#findLeftBehind());
  }

  #claim(findFirst: () => Promise<ClaimableJob[]>): void {
    if (this.#isStopped) return;
    this.#claiming = this.#claimAll(findFirst)
      .catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, "jobs could not be claimed, trying again");
      })
      .finally(() => {
        this.#claiming = undefined;
      });
  }

  async #claimAll(findFirst: () => Promise<ClaimableJob[]>): Promise<void> {
    const { database } = this.#options;
    let jobs = await findFirst();
    while (jobs.length > 0 && !this.#isStopped) {
      const { runs, finished } = await claimRuns(database, jobs, this.#owner);
      const { run, reuse } = this.#options;
      for (const analysis of runs) {
        this.#start(analysis._id, (abort) => run(analysis, abort), { isReuse: false });
      }
      for (const id of finished) {
        this.#start(id, (abort) => reuse(id, abort), { isReuse: true });
      }
      jobs = this.#mayWait ? await this.#findShare() : [];
    }
  }

  /** Waiting jobs up to this worker's share of all unfinished ones, so that workers share them evenly. */
  async #findShare(): Promise<ClaimableJob[]> {
    const { waiting, workers } = await this.#findWaiting();
    if (workers === 1 || waiting.length === 0) return this.#take(waiting, waiting.length);
    const locked = await countLockedJobs(this.#options.database);
    const share = Math.ceil((waiting.length + locked) / workers) - this.#running.size;
    return this.#take(waiting, Math.max(0, share));
  }

  /**
   * Stranded jobs or, if there are none, a part of the jobs that other workers should have taken by now but did not.
   */
  async #findLeftBehind(): Promise<ClaimableJob[]> {
    const { database } = this.#options;
    const stranded = await findStrandedJobs(database, {
      ...this.#owner,
      limit: this.#freeSlots(),
      running: this.#runningIds(),
      mayTakeOver: this.#contact.hasLastedMs(this.#owner.lockMs),
    });
    if (stranded.length > 0) return stranded;
    const { waiting, workers } = await this.#findWaiting();
    return this.#take(waiting, Math.ceil(waiting.length / workers));
  }

  async #findWaiting(): Promise<{ waiting: ClaimableJob[]; workers: number }> {
    const { database } = this.#options;
    this.#mayWait = false;
    const [waiting, active] = await Promise.all([
      findWaitingJobs(database, { running: this.#runningIds(), limit: MAX_FOUND }),
      findActiveWorkers(database),
    ]);
    return { waiting, workers: Math.max(1, active.length) };
  }

  #take(waiting: readonly ClaimableJob[], share: number): ClaimableJob[] {
    const checks = waiting.filter(isEntryCheck).slice(0, MAX_REUSES - this.#countReuses());
    const analyses = waiting.filter((job) => !isEntryCheck(job));
    const most = Math.min(share, this.#freeSlots(), MAX_CLAIMED - checks.length);
    const taken = [...checks, ...analyses.slice(0, Math.max(0, most))];
    if (taken.length < waiting.length) this.#mayWait = true;
    return taken;
  }

  #freeSlots(): number {
    return Math.max(0, this.#options.concurrency - this.#running.size + this.#countReuses());
  }

  #countReuses(): number {
    return [...this.#running.values()].filter(({ isReuse }) => isReuse).length;
  }

  #runningIds() {
    return [...this.#running.values()].map(({ analysisId }) => analysisId);
  }

  #start(
    analysisId: Types.ObjectId,
    work: (abort: AbortSignal) => Promise<void>,
    { isReuse }: { isReuse: boolean },
  ): void {
    const id = String(analysisId);
    const abort = new AbortController();
    const ended = work(abort.signal)
      .catch((error: unknown) => {
        this.#options.logger.warn(
          { err: error, analysisId: id },
          "run did not finish its analysis",
        );
      })
      .finally(() => {
        this.#running.delete(id);
        if (this.#mayWait) this.#claimSoon();
      });
    this.#running.set(id, { analysisId, isReuse, abort, ended });
  }

  async #renew(): Promise<void> {
    const { database, logger, workerId } = this.#options;
    try {
      const lost = await renewLocks(database, { ids: this.#runningIds(), workerId });
      this.#contact.confirm();
      for (const id of lost) {
        this.#running.get(String(id))?.abort.abort(new Error("The job was taken over."));
      }
    } catch (error) {
      logger.warn({ err: error }, "locks could not be renewed");
    }
  }
}

/**
 * Time in contact with the database. Only a worker that could have renewed its own locks for a whole lock lifetime
 * takes over
 * others: after an outage or suspension, the others need time to renew theirs.
 */
class DatabaseContact {
  readonly #maxGapMs: number;
  #sinceMs = performance.now();
  #lastMs = performance.now();

  constructor(options: { maxGapMs: number }) {
    this.#maxGapMs = options.maxGapMs;
  }

  confirm(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs > this.#maxGapMs) this.#sinceMs = nowMs;
    this.#lastMs = nowMs;
  }

  hasLastedMs(durationMs: number): boolean {
    const nowMs = performance.now();
    return nowMs - this.#lastMs <= this.#maxGapMs && nowMs - this.#sinceMs >= durationMs;
  }
}

const IN_ORDER = { priority: -1, nextRunAt: 1 } as const;

type JobsDatabase = Pick<Database, "jobs">;

interface JobSelection {
  running: readonly Types.ObjectId[];
  limit: number;
}

type ClaimableJob = Pick<JobRecord, "_id" | "data" | "priority">;

const isEntryCheck = ({ priority }: ClaimableJob): boolean => priority >= ENTRY_CHECK_PRIORITY;

const isDue = {
  name: GENERATE_SIGNAL_JOB,
  nextRunAt: { $ne: null },
  disabled: { $ne: true },
};

interface LockOwner {
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

const countLockedJobs = ({ jobs }: JobsDatabase): Promise<number> =>
  jobs.countDocuments({ name: GENERATE_SIGNAL_JOB, lockedAt: { $ne: null } });

/** Jobs that this worker locked without learning of it, as the reply was lost, and expired locks of other workers. */
function findStrandedJobs(
  database: JobsDatabase,
  options: LockOwner & JobSelection & { mayTakeOver: boolean },
): Promise<ClaimableJob[]> {
  const { workerId, running, mayTakeOver, limit } = options;
  const filter = {
    _id: { $nin: [...running] },
    lockedAt: { $ne: null },
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
    .find({ ...isDue, ...filter }, { projection: { data: 1, priority: 1 } })
    .sort(IN_ORDER)
    .limit(limit)
    .toArray();

/**
 * Locks jobs and starts their analyses in one transaction. Jobs that another worker has claimed are left out.
 * @returns also the finished ones, for which signals wait
 */
async function claimRuns(
  database: Database,
  jobs: readonly ClaimableJob[],
  owner: LockOwner,
): Promise<{ runs: AnalysisRun[]; finished: Types.ObjectId[] }> {
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
  return { runs, finished: locked.filter((id) => !started.has(String(id))) };
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
async function renewLocks(
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
async function releaseJobs(database: JobsDatabase, workerId: string): Promise<void> {
  await nativeCollection(database.jobs).updateMany(
    { name: GENERATE_SIGNAL_JOB, lockedAt: { $ne: null }, lastModifiedBy: workerId },
    { $set: { lockedAt: null, lastModifiedBy: null } },
  );
}
