import "./queue/plain-debug.ts";
import { Agenda, type AgendaBackend } from "agenda";
import type { ClientSession } from "mongoose";
import type { Database } from "./database.ts";
import type { Logger } from "./logger.ts";
import { FairJobs } from "./queue/fair-jobs.ts";
import { JobBell } from "./queue/job-bell.ts";
import { otherWorkersOf } from "./queue/other-workers.ts";
import {
  GENERATE_SIGNAL_JOB,
  JOBS_COLLECTION,
  signalIdOfJob,
  signalJobData,
} from "./queue/signal-job.ts";
import type { SignalOrigin } from "./signals/mark-started.ts";

/** Polling only finds what the change stream missed and the jobs of dead workers. */
export const POLL_EVERY_MS = 2_000;

/**
 * How long a job stays locked without a sign of life. A worker that died loses its jobs after this time;
 * a live one renews its locks much sooner.
 */
export const JOB_LOCK_MS = 20_000;

/**
 * Opens the job queue on the database, for a worker that shares the signals evenly with the others. Servers do not open
 * it: their jobs are part of their changes.
 *
 * Locks and ends of jobs do not wait for the disk: if a crash loses them, the lock expires or the sweep finds the signal.
 * @param options.workerId the id under which the worker reports as alive; `concurrency` is how many jobs it may hold
 */
export async function openQueue(options: {
  database: Database;
  logger: Logger;
  workerId: string;
  concurrency?: number;
}): Promise<Agenda> {
  const { database, logger, workerId, concurrency = 1 } = options;
  const db = database.connection.getClient().db(database.connection.name, {
    writeConcern: { w: 1 },
  });
  const repository = new FairJobs({
    config: { mongo: db, db: { collection: JOBS_COLLECTION } },
    sharedJob: GENERATE_SIGNAL_JOB,
    me: { id: workerId, capacity: concurrency },
    otherWorkers: otherWorkersOf(database, workerId),
    askAgain: () => setImmediate(() => bell.ring(GENERATE_SIGNAL_JOB)),
    onError: (error) => logger.warn({ err: error }, "a job could not be locked or removed"),
  });
  const bell: JobBell = new JobBell({
    jobs: db.collection(JOBS_COLLECTION),
    onNewJob: (job) => {
      if (job.name === GENERATE_SIGNAL_JOB) repository.hear(job);
    },
    onDisconnect: () => repository.stop(),
  });
  bell.on("error", (error: unknown) =>
    logger.warn({ err: error }, "job notifications interrupted"),
  );
  const agenda = new Agenda({
    name: workerId,
    backend: backendOf(repository),
    notificationChannel: bell,
    processEvery: POLL_EVERY_MS,
    maxConcurrency: concurrency,
    defaultConcurrency: concurrency,
    defaultLockLimit: concurrency,
    defaultLockLifetime: JOB_LOCK_MS,
    removeOnComplete: true,
  });
  agenda.on("error", (error) => logger.warn({ err: error }, "job queue error"));
  agenda.on(`complete:${GENERATE_SIGNAL_JOB}`, () => {
    if (repository.mayWait) bell.ringSoon(GENERATE_SIGNAL_JOB);
  });
  await agenda.ready;
  return agenda;
}

function backendOf(repository: FairJobs): AgendaBackend {
  return {
    name: "MongoDB",
    repository,
    ownsConnection: false,
    connect: () => repository.connect(),
    disconnect: () => repository.disconnect(),
  };
}

/**
 * Asks the workers once more for a signal that waits already: it goes before all others. A second job for the same signal
 * does no harm: its work is guarded.
 */
export async function enqueueSignal(agenda: Agenda, signal: SignalOrigin): Promise<void> {
  await agenda.now(GENERATE_SIGNAL_JOB, signalJobData(signal));
}

/** Which of these signals a job stands ready or runs for. */
export async function signalsWithJob(
  database: Database,
  signalIds: readonly string[],
): Promise<Set<string>> {
  const jobs = await database.connection
    .collection(JOBS_COLLECTION)
    .find({
      name: GENERATE_SIGNAL_JOB,
      "data.signalId": { $in: [...signalIds] },
      $or: [{ nextRunAt: { $ne: null } }, { lockedAt: { $ne: null } }],
    })
    .project({ data: 1 })
    .toArray();
  return new Set(jobs.map((job) => signalIdOfJob(job.data)));
}

/** Takes the jobs of these signals back, in the caller's transaction; a job that a worker holds ends there by itself. */
export async function removeQueuedJobs(
  database: Database,
  { session }: { session: ClientSession },
  signalIds: readonly { toString(): string }[],
): Promise<void> {
  const ids = signalIds.map((id) => id.toString());
  await database.connection
    .collection(JOBS_COLLECTION)
    .deleteMany(
      { name: GENERATE_SIGNAL_JOB, "data.signalId": { $in: ids }, lockedAt: null },
      { session },
    );
}

/** Removes jobs that have ended but were left behind: by a failure, or by a worker that stopped before cleaning up. */
export async function removeEndedJobs(database: Database): Promise<void> {
  await database.connection
    .collection(JOBS_COLLECTION)
    .deleteMany({ name: GENERATE_SIGNAL_JOB, nextRunAt: null, lockedAt: null });
}
