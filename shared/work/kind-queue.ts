import type { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { Logger } from "../runtime/logger.ts";
import { findActiveWorkers } from "./active-workers.ts";
import {
  countLocked,
  type FoundItem,
  findStranded,
  findWaiting,
  type LockOwner,
  lockItems,
} from "./item-locks.ts";
import type { ClaimedWork, WorkHandler } from "./work-handler.ts";

/** Keeps the transaction short for others that need the locked documents. */
const MAX_CLAIMED = 25;

const MAX_FOUND = 200;

interface Running extends Pick<ClaimedWork, "id"> {
  abort: AbortController;
  ended: Promise<void>;
}

interface KindQueueOptions {
  database: Database;
  logger: Logger;
  owner: LockOwner;
  /** Whether the locks of other workers can be trusted to have expired. */
  mayTakeOver: () => boolean;
}

/** Claims the items of one kind, and runs them. */
export class KindQueue {
  readonly #options: KindQueueOptions;
  readonly #handler: WorkHandler;
  readonly #running = new Map<string, Running>();
  #isStopped = false;
  #claiming: Promise<void> | undefined;
  /** Whether items may wait that this worker has not found or has left. */
  #mayWait = false;
  /** Whether items may have been added during a look. */
  #isWoken = false;

  constructor(options: KindQueueOptions, handler: WorkHandler) {
    this.#options = options;
    this.#handler = handler;
  }

  claimSoon(): void {
    this.#mayWait = true;
    this.#isWoken = true;
    if (!this.#claiming) this.#claim(() => this.#findShare());
  }

  /** Finds stranded items, items that were left to other workers, and those that become due. */
  poll(): void {
    if (!this.#claiming && this.hasFreePlace()) this.#claim(() => this.#findLeftBehind());
  }

  hasFreePlace(): boolean {
    return this.#freePlaces() > 0;
  }

  runningIds(): Types.ObjectId[] {
    return [...this.#running.values()].map(({ id }) => id);
  }

  abort(id: Types.ObjectId, reason: string): void {
    this.#running.get(String(id))?.abort.abort(new Error(reason));
  }

  abortAll(): void {
    for (const id of this.runningIds()) this.abort(id, "The worker is stopping.");
  }

  async stopClaiming(): Promise<void> {
    this.#isStopped = true;
    await this.#claiming;
    if (this.#handler.stopsAtOnce) this.abortAll();
  }

  /** Waits for the running items. */
  async drained(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #claim(findFirst: () => Promise<FoundItem[]>): void {
    if (this.#isStopped || this.#handler.isReady?.() === false) return;
    const { kind } = this.#handler;
    this.#claiming = this.#claimAll(findFirst)
      .catch((error: unknown) => {
        this.#options.logger.warn({ err: error, kind }, "jobs could not be claimed, trying again");
      })
      .finally(() => {
        this.#claiming = undefined;
      });
  }

  async #claimAll(findFirst: () => Promise<FoundItem[]>): Promise<void> {
    let items = await findFirst();
    while ((items.length > 0 || this.#isWoken) && !this.#isStopped) {
      if (items.length > 0) await this.#claimThese(items);
      items = this.#mayWait ? await this.#findShare() : [];
    }
  }

  async #claimThese(items: readonly FoundItem[]): Promise<void> {
    const { database, owner } = this.#options;
    const kind = this.#handler;
    const claimed = await kind.claim(items, {
      workerId: owner.workerId,
      take: (session) => lockItems(database, { kind, items, owner }, session),
    });
    for (const work of claimed) this.#start(work);
  }

  /** Waiting items up to this worker's share of all unfinished ones, so that workers share them evenly. */
  async #findShare(): Promise<FoundItem[]> {
    const { waiting, workers } = await this.#findWaiting();
    if (workers === 1 || waiting.length === 0) return this.#take(waiting, waiting.length);
    const locked = await countLocked(this.#options.database, this.#handler);
    const share = Math.ceil((waiting.length + locked) / workers) - this.#running.size;
    return this.#take(waiting, Math.max(0, share));
  }

  /**
   * Stranded items or, if there are none, a part of the items that other workers should have taken by now but did not.
   */
  async #findLeftBehind(): Promise<FoundItem[]> {
    const { database, owner, mayTakeOver } = this.#options;
    const stranded = await findStranded(database, this.#handler, {
      ...owner,
      limit: this.#freePlaces(),
      running: this.runningIds(),
      mayTakeOver: mayTakeOver(),
    });
    if (stranded.length > 0) return stranded;
    const { waiting, workers } = await this.#findWaiting();
    return this.#take(waiting, Math.ceil(waiting.length / workers));
  }

  async #findWaiting(): Promise<{ waiting: FoundItem[]; workers: number }> {
    const { database } = this.#options;
    this.#mayWait = false;
    this.#isWoken = false;
    const [waiting, active] = await Promise.all([
      findWaiting(database, this.#handler, { running: this.runningIds(), limit: MAX_FOUND }),
      findActiveWorkers(database),
    ]);
    return { waiting, workers: Math.max(1, active.length) };
  }

  #take(waiting: readonly FoundItem[], share: number): FoundItem[] {
    const taken = waiting.slice(0, Math.min(share, this.#freePlaces(), MAX_CLAIMED));
    if (taken.length < waiting.length) this.#mayWait = true;
    return taken;
  }

  #freePlaces(): number {
    return Math.max(0, this.#handler.concurrency - this.#running.size);
  }

  #start({ id, run }: ClaimedWork): void {
    const key = String(id);
    const abort = new AbortController();
    const ended = run(abort.signal)
      .catch((error: unknown) => {
        const { kind, stopsAtOnce } = this.#handler;
        if (this.#isStopped && stopsAtOnce) return;
        this.#options.logger.warn({ err: error, kind, itemId: key }, "work item not finished");
      })
      .finally(() => {
        this.#running.delete(key);
        // An item that is always there may be due again soon.
        if (this.#mayWait || this.#handler.standing) this.claimSoon();
      });
    this.#running.set(key, { id, abort, ended });
  }
}
