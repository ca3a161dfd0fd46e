import { mongo } from "mongoose";
import type { Database } from "../database.ts";
import type { Change } from "../event-log.ts";
import type { SignalOrigin } from "../signals/mark-started.ts";
import { userStream } from "../streams.ts";
import type { StreamPlace } from "../told-change.ts";
import { jobPriority } from "./job-priority.ts";
import { GENERATE_SIGNAL_JOB, JOBS_COLLECTION, signalJobData } from "./signal-job.ts";

const NAMESPACE_EXISTS = 48;

/** A transaction cannot make the collection that it writes to; it is made once, before the first job. */
const madeFor = new WeakMap<Database, Promise<void>>();

/**
 * Asks the workers for a signal, in the change that stores it: the one is never there without the other, and
 * workers hear of it the moment it is committed. The job is what Agenda itself makes of `agenda.now`.
 * @param order.assertRoom gets how many signals of the same user are unfinished already; what it throws calls all off
 */
export async function addSignalJob(
  database: Database,
  { at, insertPlaced }: Change,
  { signal, assertRoom }: { signal: SignalOrigin; assertRoom: (ahead: number) => void },
): Promise<void> {
  const made = madeFor.get(database) ?? makeCollection(database);
  madeFor.set(database, made);
  await made;
  const jobs = database.connection.collection(JOBS_COLLECTION);
  insertPlaced(jobs, userStream(signal.userId), (place) => {
    assertRoom(place.ahead);
    return newJob({ signal, at, place });
  });
}

/** Who has no other signal under way is most likely told nothing before this one starts: its worker counts on that. */
const newJob = ({ signal, at, place }: { signal: SignalOrigin; at: Date; place: StreamPlace }) => ({
  ...{ name: GENERATE_SIGNAL_JOB, type: "normal", nextRunAt: at },
  data: signalJobData({ ...signal, ...(place.ahead === 0 && { streamSeq: place.seq }) }),
  ...{ priority: jobPriority({ at, ahead: place.ahead }), lockedAt: null, lastRunAt: null },
  ...{ lastFinishedAt: null, lastModifiedBy: null, failedAt: null, failCount: null },
  ...{ failReason: null, repeatInterval: null, repeatAt: null, repeatTimezone: null },
  ...{ disabled: null, progress: null },
});

async function makeCollection(database: Database): Promise<void> {
  try {
    await database.connection.createCollection(JOBS_COLLECTION);
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === NAMESPACE_EXISTS) return;
    madeFor.delete(database);
    throw error;
  }
}
