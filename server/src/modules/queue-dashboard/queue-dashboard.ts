import { setTimeout as delay } from "node:timers/promises";
import { MongoJobRepository } from "@agendajs/mongo-backend";
import type { JobAction } from "@shared/contract/events/event-data.ts";
import {
  type JobQuery,
  type JobsChanged,
  jobsChangedSchema,
  type QueuePage,
  type QueueTotals,
  queuePageSchema,
} from "@shared/contract/routes/queue-dashboard-routes.ts";
import { type Database, nativeDb } from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { findActiveWorkers } from "@shared/work/active-workers.ts";
import { workId } from "@shared/work/work-item.ts";
import { Agenda, type JobParameters, type JobRepositoryOptions } from "agenda";
import { z } from "zod";
import { AgendashController } from "../../../../node_modules/agendash/dist/AgendashController.js";
import type { ServerDeps } from "../../server-deps.ts";

// By its file, since the package's entry loads the middlewares for every framework and fails without Express.

interface NamedJob {
  _id: string;
  name: string;
}

const foundJobsSchema = z.array(
  z.looseObject({ job: z.looseObject({ _id: z.string(), name: z.string() }) }),
);

/** Whether it is the only item of a kind that is always there, without which the product stops doing something. */
export const isNeeded = ({ _id, name }: NamedJob): boolean => workId(name, "").toString() === _id;

/** How often an open page is refreshed and its session checked. */
const REFRESH_INTERVAL_MS = 3_000;

export interface QueueDashboardDeps extends ServerDeps {
  queueDashboard: QueueDashboard;
}

/** The job queue for Agendash. Its Agenda is opened on first use and never started, so a server runs no jobs. */
export class QueueDashboard {
  readonly #database: Database;
  readonly #closing = new AbortController();
  #opened: { agenda: Agenda; dashboard: AgendashController } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async list({ job, q, ...query }: JobQuery): Promise<QueuePage> {
    const { dashboard } = await this.#open();
    const wanted = { ...query, ...(job && { name: job }), ...(q && { search: q }) };
    const { jobs, ...page } = JSON.parse(JSON.stringify(await dashboard.getJobs(wanted)));
    const marked = foundJobsSchema
      .parse(jobs)
      .map((found) => ({ ...found, needed: isNeeded(found.job) }));
    return queuePageSchema.parse({ ...page, jobs: marked });
  }

  /** Agendash shows these as values of its own process. They are totals of all workers. */
  async totals(): Promise<QueueTotals> {
    const { agenda } = await this.#open();
    const [jobs, due, workers] = await Promise.all([
      agenda.getJobsOverview(),
      agenda.db.getQueueSize(),
      findActiveWorkers(this.#database),
    ]);
    const capacity = sum(workers.map(({ concurrency }) => concurrency));
    // A job is running while a worker has locked it.
    const running = sum(jobs.map((job) => job.running));
    return {
      version: productVersion(),
      queueName: "all workers",
      totalQueueSizeDB: due,
      config: {
        totalLockLimit: capacity,
        maxConcurrency: capacity,
        processEvery: "1 seconds",
      },
      backend: { name: "MongoDB", hasNotificationChannel: true },
      internal: { localQueueProcessing: 0 },
      jobStatus: Object.fromEntries(
        jobs.map((job) => [job.name, { running: job.running, locked: job.running }]),
      ),
      queuedJobs: sum(jobs.map((job) => job.queued)),
      runningJobs: running,
      lockedJobs: running,
    };
  }

  async find(jobIds: readonly string[]): Promise<NamedJob[]> {
    const { agenda } = await this.#open();
    const { jobs } = await agenda.queryJobs({ ids: [...jobIds] });
    return jobs.map(({ _id, name }) => ({ _id: String(_id), name }));
  }

  async change(action: JobAction, jobIds: readonly string[]): Promise<JobsChanged> {
    const { dashboard } = await this.#open();
    const change = {
      requeue: () => dashboard.requeueJobs([...jobIds]),
      retry: () => dashboard.retryJobs([...jobIds]),
      delete: () => dashboard.deleteJobs([...jobIds]),
      pause: () => dashboard.pauseJobs([...jobIds]),
      resume: () => dashboard.resumeJobs([...jobIds]),
    }[action];
    return jobsChangedSchema.parse(await change());
  }

  /** Server-sent events that refresh an open page. They end with its session or with the server. */
  async *events(isSessionValid: () => Promise<boolean>): AsyncGenerator<string> {
    yield 'event: connected\ndata: {"connected":true}\n\n';
    while ((await this.#wait()) && (await isSessionValid())) yield 'data: {"type":"complete"}\n\n';
  }

  close(): void {
    this.#closing.abort();
  }

  /** @returns false if the server stops first */
  #wait(): Promise<boolean> {
    const { signal } = this.#closing;
    return delay(REFRESH_INTERVAL_MS, true, { signal, ref: false }).catch(() => !signal.aborted);
  }

  async #open() {
    if (!this.#opened) {
      const repository = new DashboardJobs(this.#database);
      const agenda = new Agenda({
        name: "server",
        backend: {
          name: "MongoDB",
          repository,
          connect: () => repository.connect(),
          disconnect: () => repository.disconnect(),
        },
      });
      this.#opened = { agenda, dashboard: new AgendashController(agenda) };
    }
    await this.#opened.agenda.ready;
    return this.#opened;
  }
}

/** Agendash saves a job only to have it run now, which is by the clock of the database. */
class DashboardJobs extends MongoJobRepository {
  readonly #now: () => Date;

  constructor({ connection, now }: Database) {
    super({
      mongo: nativeDb(connection),
      db: { collection: JOBS_COLLECTION },
      ensureIndex: false,
    });
    this.#now = now;
  }

  override saveJob<Data>(job: JobParameters<Data>, options: JobRepositoryOptions | undefined) {
    return super.saveJob({ ...job, nextRunAt: this.#now() }, options);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
