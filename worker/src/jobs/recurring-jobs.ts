import { MongoBackend } from "@agendajs/mongo-backend";
import { type Database, nativeDb } from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { Agenda, type Job } from "agenda";

const POLL_INTERVAL_MS = 2_000;

const RENEWALS = 4;

export interface RecurringJob {
  name: string;
  /** An interval, such as `1 minute`, or a cron expression in UTC. */
  every: string;
  /**
   * Lock timeout after a crash; running jobs renew it. After a suspension two workers may run the job at once, so it
   * must allow that.
   */
  lockMs: number;
  runsAtStart?: boolean;
  work: (abort: AbortSignal) => Promise<void>;
}

/** Work that one worker at a time repeats by the clock, through Agenda. Signals have a queue of their own. */
export class RecurringJobs {
  readonly #agenda: Agenda;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #runs = new Map<string, Promise<void>>();

  constructor(options: { database: Database; logger: Logger; workerId: string }) {
    const { database, logger, workerId } = options;
    this.#logger = logger;
    this.#agenda = new Agenda({
      name: workerId,
      backend: new MongoBackend({
        mongo: nativeDb(database.connection),
        collection: JOBS_COLLECTION,
        ensureIndex: false,
      }),
      processEvery: POLL_INTERVAL_MS,
    });
    this.#agenda.on("error", (error) => logger.warn({ err: error }, "recurring job failed"));
  }

  async add({ name, every, lockMs, runsAtStart = false, work }: RecurringJob): Promise<void> {
    // With a lock limit, a lock that expires before its job starts, as after a suspension, would block the job forever.
    const limits = { concurrency: 1, lockLimit: 0, lockLifetime: lockMs };
    this.#agenda.define(name, (job) => this.#run({ job, lockMs, work }), limits);
    await this.#agenda.every(every, name, {}, every.includes("*") ? { timezone: "UTC" } : {});
    if (!runsAtStart) return;
    this.#track(name, work).catch((error: unknown) => {
      this.#logger.error({ err: error, job: name }, "recurring job failed");
    });
  }

  async start(): Promise<void> {
    await this.#agenda.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#agenda.stop(false);
    await Promise.all(this.#runs.values());
  }

  async #run(options: { job: Job } & Pick<RecurringJob, "lockMs" | "work">): Promise<void> {
    const { job, lockMs, work } = options;
    const { name } = job.attrs;
    // Agenda may restart a running job whose lock has expired.
    if (this.#runs.has(name)) return;
    const renewing = setInterval(() => this.#renew(job), lockMs / RENEWALS);
    await this.#track(name, work).finally(() => clearInterval(renewing));
  }

  #track(name: string, work: RecurringJob["work"]): Promise<void> {
    const run = work(this.#stopping.signal).finally(() => this.#runs.delete(name));
    this.#runs.set(
      name,
      run.catch(() => undefined),
    );
    return run;
  }

  #renew(job: Job): void {
    job.touch().catch((error: unknown) => {
      this.#logger.warn({ err: error, job: job.attrs.name }, "lock could not be renewed");
    });
  }
}
