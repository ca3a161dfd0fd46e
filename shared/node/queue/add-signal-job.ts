import { type ClientSession, mongo } from "mongoose";
import type { Database } from "../database.ts";
import { GENERATE_SIGNAL_JOB, type GenerateSignalData } from "../queue.ts";

/** Where Agenda keeps its jobs. */
const JOBS_COLLECTION = "agendaJobs";
const NAMESPACE_EXISTS = 48;

/** A transaction cannot make the collection that it writes to; it is made once, before the first job. */
const madeFor = new WeakMap<Database, Promise<void>>();

/**
 * Asks the workers for a signal, in the transaction that stores it: the one is never there without the other, and
 * workers hear of it the moment it is committed. The job is what Agenda itself makes of `agenda.now`.
 */
export async function addSignalJob(
  database: Database,
  { session, at }: { session: ClientSession; at: Date },
  signalId: string,
): Promise<void> {
  const made = madeFor.get(database) ?? makeCollection(database);
  madeFor.set(database, made);
  await made;
  const data: GenerateSignalData = { signalId };
  await database.connection.collection(JOBS_COLLECTION).insertOne(
    {
      ...{ name: GENERATE_SIGNAL_JOB, data, type: "normal", priority: 0, nextRunAt: at },
      ...{ lockedAt: null, lastRunAt: null, lastFinishedAt: null, lastModifiedBy: null },
      ...{ failedAt: null, failCount: null, failReason: null, repeatInterval: null },
      ...{ repeatAt: null, repeatTimezone: null, disabled: null, progress: null },
    },
    { session },
  );
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
