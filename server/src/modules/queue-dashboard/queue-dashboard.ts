import { setTimeout as delay } from "node:timers/promises";
import { MongoJobRepository } from "@agendajs/mongo-backend";
import type { JobAction } from "@shared/contract/events.ts";
import type { Database } from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { Agenda, type AgendaBackend } from "agenda";
import { AgendashController } from "../../../../node_modules/agendash/dist/AgendashController.js";
import {
  type JobQuery,
  type JobsChanged,
  jobsChangedSchema,
  type QueueFigures,
  type QueuePage,
  queuePageSchema,
  sumUp,
} from "./agendash-schemas.ts";

// By its file, since the package's entry loads the middlewares for every framework and fails without Express.

/** How often each worker polls; shown on the page. */
const POLL_EVERY_MS = 1_000;

/** How often an open page is told to read anew, and its right to do so is looked at again. */
const REFRESH_INTERVAL_MS = 3_000;

/**
 * The job queue as Agendash shows it: read and changed by an Agenda that is opened on first use and never started, so
 * that a server runs no job.
 */
export class QueueDashboard {
  readonly #database: Database;
  readonly #closing = new AbortController();
  #opened: { agenda: Agenda; dashboard: AgendashController } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** One page of jobs. */
  async list({ job, q, ...query }: JobQuery): Promise<QueuePage> {
    const { dashboard } = await this.#open();
    const wanted = { ...query, ...(job && { name: job }), ...(q && { search: q }) };
    const page: unknown = JSON.parse(JSON.stringify(await dashboard.getJobs(wanted)));
    return queuePageSchema.parse(page);
  }

  /** @param capacity analyses that the living workers can make at once */
  async figures(capacity: number): Promise<QueueFigures> {
    const { agenda } = await this.#open();
    const [overviews, due] = await Promise.all([
      agenda.getJobsOverview(),
      agenda.db.getQueueSize(),
    ]);
    const version = productVersion();
    return sumUp({ overviews, version, due, capacity, pollEveryMs: POLL_EVERY_MS });
  }

  /** Names of those of these jobs that are still there. */
  async namesOf(jobIds: readonly string[]): Promise<string[]> {
    const { agenda } = await this.#open();
    const { jobs } = await agenda.queryJobs({ ids: [...jobIds] });
    return jobs.map(({ name }) => name);
  }

  /** Does to these jobs what Agendash does; those that are gone are left out. */
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

  /**
   * Server-sent events that have an open page read anew every 3 s. They end when `mayGoOn` says no, and with the server.
   */
  async *events(mayGoOn: () => Promise<boolean>): AsyncGenerator<string> {
    yield 'event: connected\ndata: {"connected":true}\n\n';
    while ((await this.#wait()) && (await mayGoOn())) yield 'data: {"type":"complete"}\n\n';
  }

  /** Ends the events of all open pages; the database is for its owner to close. */
  close(): void {
    this.#closing.abort();
  }

  /** @returns whether the time has passed, and not the server's end come first */
  #wait(): Promise<boolean> {
    const { signal } = this.#closing;
    return delay(REFRESH_INTERVAL_MS, true, { signal, ref: false }).catch(() => !signal.aborted);
  }

  async #open() {
    if (!this.#opened) {
      const agenda = new Agenda({ name: "server", backend: backendOf(this.#database) });
      this.#opened = { agenda, dashboard: new AgendashController(agenda) };
    }
    await this.#opened.agenda.ready;
    return this.#opened;
  }
}

function backendOf({ connection }: Database): AgendaBackend {
  const mongo = connection.getClient().db(connection.name);
  const repository = new MongoJobRepository({
    mongo,
    db: { collection: JOBS_COLLECTION },
    ensureIndex: false,
  });
  return {
    name: "MongoDB",
    repository,
    ownsConnection: false,
    connect: () => repository.connect(),
    disconnect: () => repository.disconnect(),
  };
}
