import { MongoJobRepository } from "@agendajs/mongo-backend";
import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Database, nativeDb } from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { doubling, repeatedly, type WorkHandler } from "@shared/work/work-handler.ts";
import { Agenda, Job } from "agenda";
import { Mutex } from "async-mutex";

export interface RecurringJob {
  name: string;
  /** An interval, such as `1 minute`, or a cron expression in UTC; both by the clock of the database. */
  every: string;
  /** Whether each worker also does it once at its start, even if another one has the item. */
  runsAtStart?: boolean;
  /** One worker at a time does it, but two may after one was suspended. */
  work: (abort: AbortSignal) => Promise<void>;
}

interface RecurringDeps {
  database: Database;
  logger: Logger;
}

/** A failed run is repeated after this time, at the latest when the next one is due. */
const retryDelayMs = doubling({ first: 5_000, max: HOUR_MS });

/** The work items of recurring jobs. An interval starts at once, a time of day when it comes. */
export function recurringWork(deps: RecurringDeps, jobs: readonly RecurringJob[]): WorkHandler[] {
  const agenda = createAgenda(deps);
  return jobs.map((job) => recurring(deps, agenda, job));
}

/** An Agenda that is never started: it only computes times. */
function createAgenda({ database }: Pick<RecurringDeps, "database">): Agenda {
  const mongo = nativeDb(database.connection);
  const db = { collection: JOBS_COLLECTION };
  const repository = new MongoJobRepository({ mongo, db, ensureIndex: false });
  const nothing = () => Promise.resolve();
  const backend = { name: "MongoDB", repository, connect: nothing, disconnect: nothing };
  return new Agenda({ backend });
}

function recurring(
  deps: RecurringDeps,
  agenda: Agenda,
  { name, every, work }: RecurringJob,
): WorkHandler {
  const { now } = deps.database;
  const schedule = { repeatInterval: every, repeatTimezone: "UTC" };
  const nextAfter = (lastRunAt: Date): Date => {
    const job = new Job(agenda, { ...UNUSED, name, lastRunAt });
    const { nextRunAt } = job.repeatEvery(every, { timezone: "UTC" }).attrs;
    if (!nextRunAt) throw new Error(`The job ${name} has no next time.`);
    return nextRunAt;
  };
  return repeatedly(deps, {
    kind: name,
    schedule,
    firstDueAt: every.includes("*") ? nextAfter(now()) : now(),
    retryDelayMs(failures) {
      const at = now();
      return Math.min(retryDelayMs(failures), nextAfter(at).getTime() - at.getTime());
    },
    async run(abort, at) {
      await work(abort);
      return nextAfter(at);
    },
  });
}

const UNUSED = { type: "normal", priority: 0, data: {}, nextRunAt: null } as const;

/** Makes runs of a job in one process wait for each other: that at the start, and that of the item. */
export function oneAtATime(work: RecurringJob["work"]): RecurringJob["work"] {
  const turn = new Mutex();
  return (abort) => turn.runExclusive(() => work(abort));
}

/** Does what each worker does at its start. */
export function runAtStart(
  { logger }: Pick<RecurringDeps, "logger">,
  jobs: readonly RecurringJob[],
): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const runs = jobs
    .filter((job) => job.runsAtStart)
    .map(({ name, work }) =>
      work(stopping.signal).catch((error: unknown) => {
        logger.error({ err: error, job: name }, "recurring job failed");
      }),
    );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(runs);
    },
  };
}
