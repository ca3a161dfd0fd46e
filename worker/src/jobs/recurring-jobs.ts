import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { Agenda, Job } from "agenda";
import { RecurringJobStore } from "./recurring-job-store.ts";

/** How late a job may start. */
const POLL_INTERVAL_MS = 1_000;

const RENEWALS = 4;

export interface RecurringJob {
  name: string;
  /** An interval, such as `1 minute`, or a cron expression in UTC; both by the clock of the database. */
  every: string;
  /**
   * Lock timeout after a crash; running jobs renew it. After a suspension two workers may run the job at once, so it
   * must allow that.
   */
  lockMs: number;
  runsAtStart?: boolean;
  work: (abort: AbortSignal) => Promise<void>;
}

/** Work that one worker at a time repeats by the clock of the database, through Agenda. Signals have a queue of their own. */
export class RecurringJobs {
  readonly #agenda: Agenda;
  readonly #store: RecurringJobStore;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #runs = new Map<string, Promise<void>>();

  constructor(options: { database: Database; logger: Logger; workerId: string }) {
    const { database, logger, workerId } = options;
    this.#logger = logger;
    const store = new RecurringJobStore({
      database,
      workerId,
      nextRunAt(job) {
        const { repeatInterval, repeatTimezone: timezone } = job;
        if (repeatInterval === undefined) return null;
        return new Job(agenda, job).repeatEvery(repeatInterval, { timezone }).attrs.nextRunAt;
      },
    });
    this.#store = store;
    const agenda = new Agenda({
      name: workerId,
      backend: {
        name: "MongoDB",
        repository: store,
        connect: () => store.connect(),
        disconnect: () => store.disconnect(),
      },
      processEvery: POLL_INTERVAL_MS,
    });
    this.#agenda = agenda;
    agenda.on("error", (error) => logger.warn({ err: error }, "recurring job failed"));
  }

  async add({ name, every, lockMs, runsAtStart = false, work }: RecurringJob): Promise<void> {
    const limits = { concurrency: 1, lockLimit: 0, lockLifetime: lockMs };
    this.#agenda.define(name, () => this.#run({ name, lockMs, work }), limits);
    const repeat = { repeatInterval: every, ...(every.includes("*") && { repeatTimezone: "UTC" }) };
    await this.#agenda.ready;
    await this.#store.addSchedule({ name, lockMs, ...repeat });
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
    await this.#store.releaseAll().catch((error: unknown) => {
      this.#logger.warn({ err: error }, "recurring jobs could not be released; locks will expire");
    });
  }

  async #run({ name, lockMs, work }: Pick<RecurringJob, "name" | "lockMs" | "work">) {
    // The run at the start of the worker.
    if (this.#runs.has(name)) return;
    const renewing = setInterval(() => this.#renew(name), lockMs / RENEWALS);
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

  #renew(name: string): void {
    this.#store.renew(name).catch((error: unknown) => {
      this.#logger.warn({ err: error, job: name }, "lock could not be renewed");
    });
  }
}
