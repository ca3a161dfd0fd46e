import { setTimeout as delay } from "node:timers/promises";
import { MongoJobRepository } from "@agendajs/mongo-backend";
import { claimJobs, LATEST } from "./claim-jobs.ts";
import { fairShare, freerWorkers, type WorkerLoad } from "./worker-loads.ts";

/**
 * How long a worker that holds more than another leaves a job to that one, and how often it looks again, in ms. A busy
 * worker may not come to look for some 100 ms; a frozen one costs this time once.
 */
const PATIENCE_MS = 500;
const LOOK_AGAIN_MS = 10;

/** Jobs that lost their worker are looked for this often at least, however many others wait. */
const LOOK_FOR_LOST_EVERY_MS = 1_000;

const REMOVE_WITHIN_MS = 10;

export type WorkerPlace = Pick<WorkerLoad, "id" | "capacity">;

export interface FairJobsOptions {
  config: ConstructorParameters<typeof MongoJobRepository>[0];
  /** Name of the jobs that the workers share evenly; all others go to whoever comes first. */
  sharedJob: string;
  me: WorkerPlace;
  otherWorkers: () => Promise<WorkerPlace[]>;
}

type ClaimArguments = Parameters<MongoJobRepository["getNextJobToRun"]>;
type ClaimedJob = Awaited<ReturnType<MongoJobRepository["getNextJobToRun"]>>;
type JobState = Parameters<MongoJobRepository["saveJobState"]>[0];

/**
 * Jobs that workers share evenly, taken in the order of their priority: a worker claims no more than its share of what
 * waits, and only while no other worker that is alive holds fewer, measured by what each may hold. A worker that does
 * not take its turn in time is passed over until it takes jobs again, so that a frozen one holds nobody up.
 *
 * Agenda looks for jobs at every notification. While a claim is under way all further ones are folded into it: many
 * that look at once would only collide in the database. The first job of a quiet hour is claimed at once; while one
 * follows the other, as many as this worker's share are claimed together.
 */
export class FairJobs extends MongoJobRepository {
  readonly #options: FairJobsOptions;
  /** How much each worker held when it was passed over. */
  readonly #passedOver = new Map<string, number>();
  /** Claimed for this worker, but not handed to Agenda yet. */
  #claimed: NonNullable<ClaimedJob>[] = [];
  /** Handed to Agenda, which has not begun them yet. */
  readonly #notBegun = new Set<string>();
  /** Ended, but not removed yet. */
  readonly #ending = new Set<string>();
  #removal: Promise<number> | undefined;
  #isClaiming = false;
  #askedMeanwhile = false;
  #foundLastTime = false;
  #lookedForLostAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: FairJobsOptions) {
    super({ ...options.config, ensureIndex: false });
    this.#options = options;
  }

  override async connect(): Promise<void> {
    await super.connect();
    const keys = { name: 1, lockedAt: 1, priority: -1, nextRunAt: 1 } as const;
    await this.collection.createIndex(keys, { name: "claimNextJob" });
  }

  override async getNextJobToRun(...claim: ClaimArguments): Promise<ClaimedJob> {
    const [jobName] = claim;
    if (jobName !== this.#options.sharedJob) return super.getNextJobToRun(...claim);
    if (this.#isStopped) return undefined;
    if (this.#claimed.length > 0) return this.#handOut();
    if (this.#isClaiming) {
      this.#askedMeanwhile = true;
      return undefined;
    }
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
    await this.unlockJobs(left.flatMap(({ _id }) => _id ?? []));
  }

  /**
   * Agenda saves a job as it begins and as it ends, to say what its lock says already and what its removal is about to
   * say. Both are left out; signs of life and failures are saved.
   */
  override async saveJobState(
    ...[job, options]: Parameters<MongoJobRepository["saveJobState"]>
  ): Promise<void> {
    if (job.name === this.#options.sharedJob) {
      if (this.#notBegun.delete(String(job._id))) return;
      if (hasSucceeded(job)) {
        this.#ending.add(String(job._id));
        return;
      }
    }
    await super.saveJobState(job, options);
  }

  override async unlockJob(job: JobState): Promise<void> {
    this.#notBegun.delete(String(job._id));
    await super.unlockJob(job);
  }

  /** Jobs that end at about the same time are removed together. */
  override removeJobs(options: Parameters<MongoJobRepository["removeJobs"]>[0]): Promise<number> {
    const { id } = options;
    if (id === undefined || !this.#ending.has(String(id))) return super.removeJobs(options);
    this.#removal ??= delay(REMOVE_WITHIN_MS).then(() => this.#removeEnding());
    return this.#removal;
  }

  async #removeEnding(): Promise<number> {
    this.#removal = undefined;
    const ids = [...this.#ending];
    const removed = await super.removeJobs({ ids });
    for (const id of ids) this.#ending.delete(id);
    return removed;
  }

  #handOut(): ClaimedJob {
    const job = this.#claimed.shift();
    if (job) this.#notBegun.add(String(job._id));
    return job;
  }

  /** A job that came while the database was asked may be missing in its answer, so that is asked for once more. */
  async #claimNext(claim: ClaimArguments): Promise<void> {
    do {
      this.#askedMeanwhile = false;
      const limit = await this.#myTurn(claim);
      if (limit > 0) this.#claimed = await this.#claimUpTo(limit, claim);
    } while (this.#claimed.length === 0 && this.#askedMeanwhile);
    this.#foundLastTime = this.#claimed.length > 0;
  }

  #claimUpTo(limit: number, [name, , lockDeadline]: ClaimArguments) {
    const isTimeForLost = performance.now() - this.#lookedForLostAt > LOOK_FOR_LOST_EVERY_MS;
    if (isTimeForLost) this.#lookedForLostAt = performance.now();
    const lostBefore = isTimeForLost ? lockDeadline : null;
    return claimJobs(this.collection, { name, limit, worker: this.#options.me.id, lostBefore });
  }

  /** Waits for this worker's turn. @returns how many jobs it may take; 0 if none is left then */
  async #myTurn(claim: ClaimArguments): Promise<number> {
    const { me } = this.#options;
    const places = await this.#options.otherWorkers();
    if (places.length === 0 && !this.#foundLastTime) return 1;
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const { ready, inFlight } = await this.#countJobs(claim);
      if (ready === 0) return 0;
      const loadOf = (place: WorkerPlace) => ({ ...place, inFlight: inFlight.get(place.id) ?? 0 });
      const others = places.map(loadOf).filter((other) => !this.#isPassedOver(other));
      const mine = loadOf(me);
      mine.inFlight -= this.#ending.size;
      const freer = freerWorkers(mine, others);
      if (freer.length === 0) return fairShare({ me: mine, others, ready });
      if (performance.now() >= giveUpAt) {
        for (const { id, inFlight: held } of freer) this.#passedOver.set(id, held);
        return 1;
      }
      await delay(LOOK_AGAIN_MS);
    }
  }

  #isPassedOver({ id, inFlight }: WorkerLoad): boolean {
    return inFlight <= (this.#passedOver.get(id) ?? -1);
  }

  /** Jobs whose worker has not given a sign of life since the lock deadline count as ready. */
  async #countJobs([name, , lockDeadline]: ClaimArguments): Promise<{
    ready: number;
    inFlight: Map<string, number>;
  }> {
    const holder = { $cond: [{ $gt: ["$lockedAt", lockDeadline] }, "$lastModifiedBy", null] };
    const isAlive = [{ lockedAt: null, nextRunAt: { $ne: null } }, { lockedAt: { $ne: null } }];
    const groups = await this.collection
      .aggregate<{ _id: string | null; count: number }>(
        [{ $match: { name, $or: isAlive } }, { $group: { _id: holder, count: { $sum: 1 } } }],
        LATEST,
      )
      .toArray();
    const inFlight = new Map(groups.flatMap(({ _id, count }) => (_id ? [[_id, count]] : [])));
    return { ready: groups.find(({ _id }) => _id === null)?.count ?? 0, inFlight };
  }
}

/** Whether the job has ended well and is about to be removed. */
function hasSucceeded({ lockedAt, lastRunAt, lastFinishedAt, failedAt }: JobState): boolean {
  if (lockedAt || !lastRunAt || !lastFinishedAt || lastFinishedAt < lastRunAt) return false;
  return !failedAt || failedAt < lastRunAt;
}
