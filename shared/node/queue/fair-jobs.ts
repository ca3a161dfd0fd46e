import { setTimeout as delay } from "node:timers/promises";
import { MongoJobRepository } from "@agendajs/mongo-backend";
import { freerWorkers, type WorkerLoad } from "./worker-loads.ts";

/**
 * How long a worker that holds more than another leaves a job to that one, and how often it looks again, in ms. A busy
 * worker may not come to look for some 100 ms; a frozen one costs this time once.
 */
const PATIENCE_MS = 500;
const LOOK_AGAIN_MS = 10;

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

/**
 * Jobs that workers share evenly: a worker claims one at a time, and only while no other worker that is alive holds
 * fewer, measured by what each may hold. A worker that does not take its turn in time is passed over until it takes
 * jobs again, so that a frozen one holds nobody up.
 *
 * Agenda looks for jobs at every notification. While a claim is under way all further ones are folded into it: many
 * that look at once would only collide in the database.
 */
export class FairJobs extends MongoJobRepository {
  readonly #options: FairJobsOptions;
  /** How much each worker held when it was passed over. */
  readonly #passedOver = new Map<string, number>();
  #isClaiming = false;
  #askedMeanwhile = false;

  constructor(options: FairJobsOptions) {
    super(options.config);
    this.#options = options;
  }

  override async getNextJobToRun(...claim: ClaimArguments): Promise<ClaimedJob> {
    const [jobName] = claim;
    if (jobName !== this.#options.sharedJob) return super.getNextJobToRun(...claim);
    if (this.#isClaiming) {
      this.#askedMeanwhile = true;
      return undefined;
    }
    this.#isClaiming = true;
    try {
      return await this.#claimNext(claim);
    } finally {
      this.#isClaiming = false;
    }
  }

  /** A job that came while the database was asked may be missing in its answer, so that is asked for once more. */
  async #claimNext(claim: ClaimArguments): Promise<ClaimedJob> {
    let job: ClaimedJob;
    do {
      this.#askedMeanwhile = false;
      job = (await this.#isMyTurn(claim)) ? await super.getNextJobToRun(...claim) : undefined;
    } while (!job && this.#askedMeanwhile);
    return job;
  }

  /** Waits for this worker's turn; false if no job is left then. */
  async #isMyTurn(claim: ClaimArguments): Promise<boolean> {
    const places = await this.#options.otherWorkers();
    if (places.length === 0) return true;
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const { ready, inFlight } = await this.#countJobs(claim);
      if (ready === 0) return false;
      const loadOf = (place: WorkerPlace) => ({ ...place, inFlight: inFlight.get(place.id) ?? 0 });
      const freer = freerWorkers(loadOf(this.#options.me), places.map(loadOf));
      const expected = freer.filter((worker) => worker.inFlight > this.#passedOverAt(worker));
      if (expected.length === 0) return true;
      if (performance.now() >= giveUpAt) {
        for (const { id, inFlight: held } of expected) this.#passedOver.set(id, held);
        return true;
      }
      await delay(LOOK_AGAIN_MS);
    }
  }

  #passedOverAt({ id }: WorkerPlace): number {
    return this.#passedOver.get(id) ?? -1;
  }

  async #countJobs([name, nextScanAt, lockDeadline]: ClaimArguments): Promise<{
    ready: number;
    inFlight: Map<string, number>;
  }> {
    const isReady = { lockedAt: null, nextRunAt: { $lte: nextScanAt } };
    const holder = { $cond: [{ $gt: ["$lockedAt", lockDeadline] }, "$lastModifiedBy", null] };
    const groups = await this.collection
      .aggregate<{ _id: string | null; count: number }>([
        { $match: { name, $or: [isReady, { lockedAt: { $ne: null } }] } },
        { $group: { _id: holder, count: { $sum: 1 } } },
      ])
      .toArray();
    const inFlight = new Map(groups.flatMap(({ _id, count }) => (_id ? [[_id, count]] : [])));
    return { ready: groups.find(({ _id }) => _id === null)?.count ?? 0, inFlight };
  }
}
