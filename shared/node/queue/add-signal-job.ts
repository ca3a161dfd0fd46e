import { mongo } from "mongoose";
import type { Database } from "../database.ts";
import type { Change } from "../event-log.ts";
import type { SignalOrigin } from "../signals/mark-started.ts";
import { jobPriority } from "./job-priority.ts";
import { GENERATE_SIGNAL_JOB, JOBS_COLLECTION, signalJobData } from "./signal-job.ts";

const NAMESPACE_EXISTS = 48;

/** A transaction cannot make the collection that it writes to; it is made once, before the first job. */
const madeFor = new WeakMap<Database, Promise<void>>();

/**
 * Asks the workers for a signal, in the change that stores it: the one is never there without the other, and
 * workers hear of it the moment it is committed. The job is what Agenda itself makes of `agenda.now`.
 * @param order.ahead how many signals of the same user are unfinished already
 */
export async function addSignalJob(
  database: Database,
  { at, insert }: Change,
  { signal, ahead }: { signal: SignalOrigin; ahead: number },
): Promise<void> {
  const made = madeFor.get(database) ?? makeCollection(database);
  madeFor.set(database, made);
  await made;
  insert(database.connection.collection(JOBS_COLLECTION), {
    ...{ name: GENERATE_SIGNAL_JOB, data: signalJobData(signal), type: "normal", nextRunAt: at },
    ...{ priority: jobPriority({ at, ahead }), lockedAt: null, lastRunAt: null },
    ...{ lastFinishedAt: null, lastModifiedBy: null, failedAt: null, failCount: null },
    ...{ failReason: null, repeatInterval: null, repeatAt: null, repeatTimezone: null },
    ...{ disabled: null, progress: null },
  });
}

async function makeCollection(database: Database): Promise<void> {
  try {
    await database.connection.createCollection(JOBS_COLLECTION);
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === NAMESPACE_EXISTS) return;
    madeFor.delete(database);
    throw error;
  }
}
