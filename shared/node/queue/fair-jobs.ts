import { MongoJobRepository } from "@agendajs/mongo-backend";
import { claimJobs, claimToldJobs, lockJobs } from "./claim-jobs.ts";
import { EndedJobs } from "./ended-jobs.ts";
import { JobTurns, type WorkerPlace } from "./job-turns.ts";
import { LateLocks } from "./late-locks.ts";

/** Jobs that lost their worker are looked for this often at least, however many others wait. */
const LOOK_FOR_LOST_EVERY_MS = 1_000;

/** Whoever asks this long after the last look gets one, though nothing was heard of a new job. */
const LOOK_ANYWAY_AFTER_MS = 1_500;

/** Others may be quicker with all that a claim is after; it is tried this often then. */
const MOST_TRIES = 3;

export interface FairJobsOptions {
  config: ConstructorParameters<typeof MongoJobRepository>[0];
  /** Name of the jobs that the workers share evenly; all others go to whoever comes first. */
  sharedJob: string;
  me: WorkerPlace;
  otherWorkers: () => Promise<WorkerPlace[]>;
  /** Has Agenda ask for jobs again, after it has begun those that it has. */
  askAgain: () => void;
  onError: (error: unknown) => void;
}

type ClaimArguments = Parameters<MongoJobRepository["getNextJobToRun"]>;
type ClaimedJob = Awaited<ReturnType<MongoJobRepository["getNextJobToRun"]>>;
type JobState = Parameters<MongoJobRepository["saveJobState"]>[0];

/**
 * Jobs that workers share evenly, taken in the order of their priority: a worker claims no more than its share of what
 * waits, when it is its turn.
 *
 * Agenda asks for jobs at every notification, and begins none before it is told that there are no more. So it is told
 * so as soon as it has what was claimed, and asks again after it has begun that; and the database is asked only where
 * a job may wait. A worker that is alone claims what it hears of; one of several as many as its share.
 */
export class FairJobs extends MongoJobRepository {
  readonly #options: FairJobsOptions;
  readonly #turns: JobTurns;
  readonly #ended: EndedJobs;
  readonly #locks: LateLocks;
  /** Claimed for this worker, but not handed to Agenda yet. */
  #claimed: NonNullable<ClaimedJob>[] = [];
  /** Handed to Agenda, which has not ended them yet. */
  readonly #held = new Set<string>();
  /** Those of them that it has not begun yet. */
  readonly #notBegun = new Set<string>();
  #hasHandedOut = false;
  #isClaiming = false;
  /** New jobs heard of since the last look began. */
  #heard: unknown[] = [];
  /** Whether the last look left no job behind. */
  #isExhausted = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookedForLostAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: FairJobsOptions) {
    super({ ...options.config, ensureIndex: false });
    this.#options = options;
    this.#turns = new JobTurns({ me: options.me, jobs: () => this.collection });
    const removeAll = (ids: string[]) => super.removeJobs({ ids });
    this.#ended = new EndedJobs({ removeAll, onError: options.onError });
    const worker = options.me.id;
    const lockAll = (ids: string[]) => lockJobs(this.collection, { ids, worker });
    this.#locks = new LateLocks({ lockAll, onError: options.onError });
  }

  override async connect(): Promise<void> {
    await super.connect();
    const keys = { name: 1, lockedAt: 1, priority: -1, nextRunAt: 1 } as const;
    await this.collection.createIndex(keys, { name: "claimNextJob" });
  }

  /** Whether a job may wait that Agenda has not got yet. */
  get mayWait(): boolean {
    return this.#claimed.length > 0 || this.#heard.length > 0 || !this.#isExhausted;
  }

  /** Hears that one more job is there. */
  hear(job: unknown): void {
    this.#heard.push(job);
  }

  override async getNextJobToRun(...claim: ClaimArguments): Promise<ClaimedJob> {
    const [jobName] = claim;
    if (jobName !== this.#options.sharedJob) return super.getNextJobToRun(...claim);
    if (this.#isStopped) return undefined;
    if (this.#claimed.length > 0) return this.#handOut();
    if (this.#hasHandedOut) return this.#letBegin();
    if (this.#isClaiming || !this.#isWorthALook()) return undefined;
    this.#isClaiming = true;
    try {
      await this.#claimNext(claim);
      if (this.#isStopped) await this.stop();
      return this.#handOut();
    } finally {
      this.#isClaiming = false;
    }
  }

  /** Claims nothing more, and leaves what it holds and has not handed out to other workers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const left = this.#claimed.splice(0);
    await this.#locks.flush();
    await this.unlockJobs(left.flatMap(({ _id }) => _id ?? []));
    await this.#ended.flush();
  }

  /**
   * Agenda saves a job as it begins and as it ends, to say what its lock says already and what its removal is about to
   * say. Both are left out; signs of life and failures are saved.
   */
  override async saveJobState(
    ...[job, options]: Parameters<MongoJobRepository["saveJobState"]>
  ): Promise<void> {
    if (job.name === this.#options.sharedJob) {
      if (!job.lockedAt) this.#letGo(String(job._id));
      if (this.#notBegun.delete(String(job._id))) return;
      if (hasSucceeded(job)) {
        this.#ended.add(String(job._id));
        return;
      }
    }
    await super.saveJobState(job, options);
  }

  override async unlockJob(job: JobState): Promise<void> {
    this.#held.delete(String(job._id));
    this.#notBegun.delete(String(job._id));
    await this.#locks.flush();
    await super.unlockJob(job);
  }

  /** One that has ended well goes with others, and its place is free without waiting for that. */
  override removeJobs(options: Parameters<MongoJobRepository["removeJobs"]>[0]): Promise<number> {
    const { id } = options;
    if (id === undefined || !this.#ended.has(String(id))) return super.removeJobs(options);
    this.#ended.removeSoon();
    return Promise.resolve(1);
  }

  /** One that has ended needs no lock any more. */
  #letGo(id: string): void {
    this.#held.delete(id);
    this.#locks.drop(id);
  }

  #handOut(): ClaimedJob {
    const job = this.#claimed.shift();
    this.#hasHandedOut = job !== undefined;
    if (!job) return undefined;
    this.#held.add(String(job._id));
    this.#notBegun.add(String(job._id));
    return job;
  }

  #letBegin(): undefined {
    this.#hasHandedOut = false;
    if (this.mayWait) this.#options.askAgain();
  }

  #isWorthALook(): boolean {
    return this.mayWait || performance.now() - this.#lookedAt > LOOK_ANYWAY_AFTER_MS;
  }

  /** A job that was heard of while the database was asked may be missing in its answer, so that is asked once more. */
  async #claimNext(claim: ClaimArguments): Promise<void> {
    let tries = 0;
    do {
      tries += 1;
      const wasExhausted = this.#isExhausted;
      const heard = this.#heard;
      this.#heard = [];
      this.#isExhausted = false;
      this.#lookedAt = performance.now();
      const others = await this.#options.otherWorkers();
      const places = this.#options.me.capacity - this.#held.size;
      const isKnown = others.length === 0 && wasExhausted && heard.length <= places;
      if (isKnown) await this.#claimKnown(claim, heard);
      else await this.#claimShare(claim, others);
    } while (this.#claimed.length === 0 && this.mayWait && tries < MOST_TRIES);
  }

  /** All that wait are those that were heard of, unless one has lost its worker. */
  async #claimKnown(claim: ClaimArguments, heard: readonly unknown[]): Promise<void> {
    if (heard.length > 0 && !this.#isTimeForLost()) {
      const options = { worker: this.#options.me.id, except: this.#held };
      this.#claimed = claimToldJobs(heard, options);
      // Nobody else could have them, so they begin before their locks are written.
      for (const { _id } of this.#claimed) this.#locks.add(String(_id));
      this.#isExhausted = true;
      return;
    }
    await this.#bringUpToDate();
    this.#claimed = await this.#claimUpTo(1, claim);
    this.#isExhausted = this.#claimed.length === 0;
  }

  /** Whoever looks for jobs in the database finds none there that this worker has begun, or has ended unlocked. */
  async #bringUpToDate(): Promise<void> {
    await this.#locks.flush();
    await this.#ended.flush();
  }

  #isTimeForLost(): boolean {
    return performance.now() - this.#lookedForLostAt > LOOK_FOR_LOST_EVERY_MS;
  }

  async #claimShare(claim: ClaimArguments, others: readonly WorkerPlace[]): Promise<void> {
    await this.#bringUpToDate();
    const [name, , lockDeadline] = claim;
    const look = { name, lockDeadline, others, ending: this.#ended.size };
    const { limit, ready } = await this.#turns.wait(look);
    if (limit > 0) this.#claimed = await this.#claimUpTo(limit, claim);
    this.#isExhausted = this.#claimed.length >= ready;
  }

  #claimUpTo(limit: number, [name, , lockDeadline]: ClaimArguments) {
    const isTimeForLost = this.#isTimeForLost();
    if (isTimeForLost) this.#lookedForLostAt = performance.now();
    const lostBefore = isTimeForLost ? lockDeadline : null;
    return claimJobs(this.collection, { name, limit, worker: this.#options.me.id, lostBefore });
  }
}

/** Whether the job has ended well and is about to be removed. */
function hasSucceeded({ lockedAt, lastRunAt, lastFinishedAt, failedAt }: JobState): boolean {
  if (lockedAt || !lastRunAt || !lastFinishedAt || lastFinishedAt < lastRunAt) return false;
  return !failedAt || failedAt < lastRunAt;
}
