import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { doubling, repeatedly, type WorkHandler } from "@shared/work/work-handler.ts";
import type { JobParameters } from "agenda";
import { Mutex } from "async-mutex";
import { computeFromInterval } from "../../../node_modules/agenda/dist/utils/nextRunAt.js";

// By its file: what the package exports of it needs an Agenda with a backend.

export interface RecurringJob {
  name: string;
  /** An interval, such as `1 minute`, or a cron expression in UTC; both by the clock of the database. */
  every: string;
  /** Whether each worker also does it once at its start, whoever has the item. */
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

/** The work item of a recurring job. An interval starts at once, a time of day when it comes. */
export function recurring(deps: RecurringDeps, { name, every, work }: RecurringJob): WorkHandler {
  const { now } = deps.database;
  const schedule = { repeatInterval: every, repeatTimezone: "UTC" };
  const nextAfter = (lastRunAt: Date): Date => nextRunAt({ name, ...schedule, lastRunAt });
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

type Repeated = Pick<JobParameters, "name" | "repeatInterval" | "repeatTimezone" | "lastRunAt">;

/** As Agenda computes it. */
function nextRunAt(job: Repeated): Date {
  const unused = { type: "normal", priority: 0, data: {}, nextRunAt: null } as const;
  const next = computeFromInterval({ ...unused, ...job });
  if (!next) throw new Error(`The job ${job.name} has no next time.`);
  return next;
}

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
