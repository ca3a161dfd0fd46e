import { BaseNotificationChannel, toJobId } from "agenda";
import type { ChangeStream, ChangeStreamDocument, Collection } from "mongodb";
import { z } from "zod";

/** New jobs only: what becomes of a job later is no news to the workers that look for one. */
const NEW_JOBS = [{ $match: { operationType: "insert" } }];

const newJobSchema = z.object({
  fullDocument: z.looseObject({ name: z.string(), nextRunAt: z.date().nullable() }),
});
/** A job as the database tells of it. */
export type NewJob = z.infer<typeof newJobSchema>["fullDocument"];

/** How long to wait for Agenda to have let go of an ended job: its place is free only then. */
const FREE_AFTER_MS = 25;

const FOR_EVER = {
  enabled: true,
  maxAttempts: Number.POSITIVE_INFINITY,
  initialDelayMs: 100,
  maxDelayMs: 2_000,
};

/**
 * Tells Agenda of new jobs the moment they are there. Agenda's own channel tells of every change of a job and reads
 * the whole job for it: with some hundred jobs at work, the workers would mostly look for jobs in vain.
 */
export class JobBell extends BaseNotificationChannel {
  readonly #jobs: Pick<Collection, "watch">;
  readonly #ringing = new Map<string, NodeJS.Timeout>();
  readonly #onNewJob: (job: NewJob) => void;
  readonly #onDisconnect: () => Promise<void>;
  #changes: ChangeStream | undefined;

  /**
   * @param options.onNewJob hears of each new job before Agenda does
   * @param options.onDisconnect called as Agenda lets go of the queue, which waits for it
   */
  constructor(options: {
    jobs: Pick<Collection, "watch">;
    onNewJob: (job: NewJob) => void;
    onDisconnect: () => Promise<void>;
  }) {
    super({ reconnect: FOR_EVER });
    this.#jobs = options.jobs;
    this.#onNewJob = options.onNewJob;
    this.#onDisconnect = options.onDisconnect;
  }

  /** Opens the change stream; one that breaks is opened again, more and more slowly. */
  connect(): Promise<void> {
    this.setState("connecting");
    const changes: ChangeStream = this.#jobs.watch(NEW_JOBS);
    this.#changes = changes;
    changes.on("resumeTokenChanged", () => this.#opened());
    changes.on("change", (change) => this.#tell(change));
    changes.on("error", (error) => this.emit("error", error));
    changes.once("close", () => {
      if (this.state !== "disconnected") this.scheduleReconnect();
    });
    return Promise.resolve();
  }

  async disconnect(): Promise<void> {
    this.clearReconnect();
    this.setState("disconnected");
    for (const timer of this.#ringing.values()) clearTimeout(timer);
    this.handlers.clear();
    await this.#changes?.close();
    await this.#onDisconnect();
  }

  /** Nothing to do: the database tells of a job that is saved. */
  publish(): Promise<void> {
    return Promise.resolve();
  }

  /** Has Agenda look for jobs of this name once an ended one has made room; calls in quick succession are one. */
  ringSoon(jobName: string): void {
    if (this.#ringing.has(jobName) || this.state === "disconnected") return;
    const ring = () => {
      this.#ringing.delete(jobName);
      this.ring(jobName);
    };
    this.#ringing.set(jobName, setTimeout(ring, FREE_AFTER_MS));
  }

  /** Has Agenda look for jobs of this name. */
  ring(jobName: string): void {
    this.#tellAgenda(jobName, null);
  }

  #opened(): void {
    if (this.state === "connected") return;
    this.clearReconnect();
    this.setState("connected");
  }

  #tell(change: ChangeStreamDocument): void {
    const parsed = newJobSchema.safeParse(change);
    if (!parsed.success) {
      this.emit("error", parsed.error);
      return;
    }
    const job = parsed.data.fullDocument;
    this.#onNewJob(job);
    this.#tellAgenda(job.name, job.nextRunAt);
  }

  #tellAgenda(jobName: string, nextRunAt: Date | null): void {
    const news = { jobId: toJobId(""), jobName, nextRunAt, priority: 0, timestamp: new Date() };
    void this.notifyHandlers(news);
  }
}
