import type { Types } from "mongoose";
import { z } from "zod";
import { ChangeFeed } from "../database/change-feed.ts";
import type { Database } from "../database/database.ts";
import { JOBS_COLLECTION } from "../database/models/job.ts";
import type { Logger } from "../runtime/logger.ts";
import { findDueKinds, type LockOwner, releaseItems, renewLocks } from "./item-locks.ts";
import { KindQueue } from "./kind-queue.ts";
import type { WorkHandler } from "./work-handler.ts";

/**
 * A crashed worker's items are taken over after this time. Locks are renewed several times in it, so one late renewal is
 * harmless.
 */
const LOCK_MS = 20_000;

const RENEWALS = 5;

/** Polling finds stranded items, items that were left to other workers, and those that become due. */
const POLL_INTERVAL_MS = 1_000;

interface WorkQueueOptions {
  database: Database;
  logger: Logger;
  workerId: string;
  handlers: readonly WorkHandler[];
  lockMs?: number;
}

const namedSchema = z.object({ name: z.string() });

/**
 * The work items of a worker: claims those of the kinds that it has handlers for, and runs them. A run that has lost its
 * lock can no longer change anything. The rules stand in docs/architecture/background-work.md.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #feed: ChangeFeed;
  readonly #kinds = new Map<string, KindQueue>();
  readonly #owner: LockOwner;
  #polling: Promise<void> | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #renewIntervalMs: number;
  readonly #contact: DatabaseContact;

  constructor(options: WorkQueueOptions) {
    const { workerId, handlers, lockMs = LOCK_MS } = options;
    this.#options = options;
    this.#renewIntervalMs = lockMs / RENEWALS;
    // One renewal may be late.
    this.#contact = new DatabaseContact({ maxGapMs: 2 * this.#renewIntervalMs });
    this.#owner = { workerId, lockMs };
    const shared = {
      ...options,
      owner: this.#owner,
      mayTakeOver: () => this.#contact.hasLastedMs(lockMs),
    };
    for (const handler of handlers) this.#kinds.set(handler.kind, new KindQueue(shared, handler));
    this.#feed = new ChangeFeed({
      ...options,
      collection: JOBS_COLLECTION,
      match: { name: { $in: this.#names() } },
      fields: ["name"],
      onWrite: (item) => this.#kinds.get(namedSchema.parse(item).name)?.claimSoon(),
      onOpen: () => {
        for (const kind of this.#kinds.values()) kind.claimSoon();
      },
    });
  }

  start(): void {
    void this.#feed.start();
    this.#timers.push(
      setInterval(() => void this.#renew(), this.#renewIntervalMs),
      setInterval(() => this.#poll(), POLL_INTERVAL_MS),
    );
  }

  /** Waits for the running items; after `drainMs` the rest is returned to the queue. */
  async stop({ drainMs }: { drainMs: number }): Promise<void> {
    const { database, logger, workerId } = this.#options;
    const kinds = [...this.#kinds.values()];
    await Promise.all([this.#feed.stop(), ...kinds.map((kind) => kind.stopClaiming())]);
    const handBack = setTimeout(() => {
      for (const kind of kinds) kind.abortAll();
    }, drainMs);
    await Promise.all(kinds.map((kind) => kind.drained()));
    clearTimeout(handBack);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#polling;
    try {
      await releaseItems(database, { kinds: this.#names(), workerId });
    } catch (error) {
      logger.warn({ err: error }, "jobs could not be released; their locks will expire");
    }
  }

  #names(): string[] {
    return [...this.#kinds.keys()];
  }

  #poll(): void {
    const { database, logger, handlers } = this.#options;
    const withPlaces = handlers.filter(({ kind }) => this.#kinds.get(kind)?.hasFreePlace());
    this.#polling ??= findDueKinds(database, withPlaces, this.#owner)
      .then((due) => {
        for (const name of due) this.#kinds.get(name)?.poll();
      })
      .catch((error: unknown) => {
        logger.warn({ err: error }, "jobs could not be looked for, trying again");
      })
      .finally(() => {
        this.#polling = undefined;
      });
  }

  async #renew(): Promise<void> {
    const { database, logger, workerId } = this.#options;
    const kinds = [...this.#kinds.values()];
    const ids = kinds.flatMap((kind) => kind.runningIds());
    try {
      const lost: Types.ObjectId[] = await renewLocks(database, { ids, workerId });
      this.#contact.confirm();
      for (const id of lost) {
        for (const kind of kinds) kind.abort(id, "The job was taken over.");
      }
    } catch (error) {
      logger.warn({ err: error }, "locks could not be renewed");
    }
  }
}

/**
 * Time in contact with the database. Only a worker that could have renewed its own locks for a whole lock lifetime
 * takes over others: after an outage or suspension, the others need time to renew theirs.
 */
class DatabaseContact {
  readonly #maxGapMs: number;
  #sinceMs = performance.now();
  #lastMs = performance.now();

  constructor(options: { maxGapMs: number }) {
    this.#maxGapMs = options.maxGapMs;
  }

  confirm(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs > this.#maxGapMs) this.#sinceMs = nowMs;
    this.#lastMs = nowMs;
  }

  hasLastedMs(durationMs: number): boolean {
    const nowMs = performance.now();
    return nowMs - this.#lastMs <= this.#maxGapMs && nowMs - this.#sinceMs >= durationMs;
  }
}
