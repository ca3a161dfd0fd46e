import { Agenda, type AgendaBackend } from "agenda";
import type { Db } from "mongodb";
import type { ClientSession } from "mongoose";
import { z } from "zod";
import type { Database } from "./database.ts";
import type { Logger } from "./logger.ts";
import { FairJobs } from "./queue/fair-jobs.ts";
import { JobBell } from "./queue/job-bell.ts";
import { otherWorkersOf } from "./queue/other-workers.ts";

/** Name of the job that generates one signal. */
export const GENERATE_SIGNAL_JOB = "generate-signal";

/** All that a job carries; the signal's document holds the rest. */
export const generateSignalDataSchema = z.object({ signalId: z.string().regex(/^[0-9a-f]{24}$/) });
export type GenerateSignalData = z.infer<typeof generateSignalDataSchema>;

/** Where Agenda keeps its jobs. */
export const JOBS_COLLECTION = "agendaJobs";

/** Polling only finds what the change stream missed and the jobs of dead workers. */
export const POLL_EVERY_MS = 2_000;

/**
 * How long a job stays locked without a sign of life. A worker that died loses its jobs after this time;
 * a live one renews its locks much sooner.
 */
export const JOB_LOCK_MS = 20_000;

/**
 * Opens the job queue on the database: a server adds jobs, workers run them and share the signals evenly.
 *
 * Jobs are added with majority concern, because workers hear of a job only once it is on disk and without it
 * MongoDB takes up to 100 ms for that. Locks and ends of jobs do not wait for the disk: if a crash loses them, the
 * lock expires or the sweep finds the signal.
 * @param options.workerId the id under which the worker reports as alive; `concurrency` is how many jobs it may hold
 */
export async function openQueue(options: {
  database: Database;
  logger: Logger;
  role: "adds" | "runs";
  workerId?: string;
  concurrency?: number;
}): Promise<Agenda> {
  const { database, logger, role, workerId = role, concurrency = 1 } = options;
  const db = database.connection.getClient().db(database.connection.name, {
    writeConcern: { w: role === "adds" ? "majority" : 1 },
  });
  const bell = new JobBell(db.collection(JOBS_COLLECTION));
  bell.on("error", (error: unknown) =>
    logger.warn({ err: error }, "job notifications interrupted"),
  );
  const agenda = new Agenda({
    name: workerId,
    backend: openBackend({ database, db, workerId, concurrency }),
    notificationChannel: bell,
    processEvery: POLL_EVERY_MS,
    maxConcurrency: concurrency,
    defaultConcurrency: concurrency,
    defaultLockLimit: concurrency,
    defaultLockLifetime: JOB_LOCK_MS,
    removeOnComplete: true,
  });
  agenda.on("error", (error) => logger.warn({ err: error }, "job queue error"));
  agenda.on(`complete:${GENERATE_SIGNAL_JOB}`, () => bell.ringSoon(GENERATE_SIGNAL_JOB));
  await agenda.ready;
  return agenda;
}

function openBackend(options: {
  database: Database;
  db: Db;
  workerId: string;
  concurrency: number;
}): AgendaBackend {
  const { database, db, workerId, concurrency } = options;
  const repository = new FairJobs({
    config: { mongo: db, db: { collection: JOBS_COLLECTION } },
    sharedJob: GENERATE_SIGNAL_JOB,
    me: { id: workerId, capacity: concurrency },
    otherWorkers: otherWorkersOf(database, workerId),
  });
  return {
    name: "MongoDB",
    repository,
    ownsConnection: false,
    connect: () => repository.connect(),
    disconnect: () => repository.disconnect(),
  };
}

/** Asks the workers for a signal. A second job for the same signal does no harm: its work is guarded. */
export async function enqueueSignal(agenda: Agenda, signalId: string): Promise<void> {
  const data: GenerateSignalData = { signalId };
  await agenda.now(GENERATE_SIGNAL_JOB, data);
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
  return new Set(jobs.map((job) => generateSignalDataSchema.parse(job.data).signalId));
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
