import { setTimeout as delay } from "node:timers/promises";
import type { MongoJobRepository } from "@agendajs/mongo-backend";
import { LATEST } from "./claim-jobs.ts";
import { fairShare, freerWorkers, type WorkerLoad } from "./worker-loads.ts";

/**
 * How long a worker that holds more than another leaves a job to that one, and how often it looks again, in ms. A busy
 * worker may not come to look for some 100 ms; a frozen one costs this time once.
 */
const PATIENCE_MS = 500;
const LOOK_AGAIN_MS = 10;

export type WorkerPlace = Pick<WorkerLoad, "id" | "capacity">;

/** How many jobs a worker may take, of how many that wait. */
export interface Turn {
  limit: number;
  ready: number;
}

/**
 * Whose turn it is to take jobs: of those that are alive, the worker that holds the fewest, measured by what each may
 * hold. One that does not take its turn in time is passed over until it takes jobs again, so that a frozen one holds
 * nobody up.
 */
export class JobTurns {
  readonly #me: WorkerPlace;
  readonly #jobs: () => MongoJobRepository["collection"];
  /** How much each worker held when it was passed over. */
  readonly #passedOver = new Map<string, number>();

  constructor(options: { me: WorkerPlace; jobs: () => MongoJobRepository["collection"] }) {
    this.#me = options.me;
    this.#jobs = options.jobs;
  }

  /**
   * Waits for this worker's turn.
   * @param look.lockDeadline jobs locked before this instant have lost their worker
   * @param look.ending how many jobs this worker has ended whose removal is on its way
   */
  async wait(look: {
    name: string;
    lockDeadline: Date;
    others: readonly WorkerPlace[];
    ending: number;
  }): Promise<Turn> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const { ready, inFlight } = await this.#countJobs(look);
      if (ready === 0) return { limit: 0, ready };
      const loadOf = (place: WorkerPlace) => ({ ...place, inFlight: inFlight.get(place.id) ?? 0 });
      const me = loadOf(this.#me);
      me.inFlight -= look.ending;
      const others = look.others.map(loadOf).filter((other) => !this.#isPassedOver(other));
      const freer = freerWorkers(me, others);
      if (freer.length === 0) return { limit: fairShare({ me, others, ready }), ready };
      if (performance.now() >= giveUpAt) {
        for (const { id, inFlight: held } of freer) this.#passedOver.set(id, held);
        return { limit: 1, ready };
      }
      await delay(LOOK_AGAIN_MS);
    }
  }

  #isPassedOver({ id, inFlight }: WorkerLoad): boolean {
    return inFlight <= (this.#passedOver.get(id) ?? -1);
  }

  /** Jobs whose worker has not given a sign of life since the lock deadline count as ready. */
  async #countJobs({ name, lockDeadline }: { name: string; lockDeadline: Date }): Promise<{
    ready: number;
    inFlight: Map<string, number>;
  }> {
    const holder = { $cond: [{ $gt: ["$lockedAt", lockDeadline] }, "$lastModifiedBy", null] };
    const isReady = { lockedAt: null, nextRunAt: { $ne: null }, disabled: { $ne: true } };
    const isAlive = [isReady, { lockedAt: { $ne: null } }];
    const groups = await this.#jobs()
      .aggregate<{ _id: string | null; count: number }>(
        [{ $match: { name, $or: isAlive } }, { $group: { _id: holder, count: { $sum: 1 } } }],
        LATEST,
      )
      .toArray();
    const inFlight = new Map(groups.flatMap(({ _id, count }) => (_id ? [[_id, count]] : [])));
    return { ready: groups.find(({ _id }) => _id === null)?.count ?? 0, inFlight };
  }
}
