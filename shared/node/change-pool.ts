import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession, Connection } from "mongoose";
import { withLocks } from "./locks.ts";
import { nextChanges, type Queued } from "./next-changes.ts";
import type { StepRun } from "./shared-step.ts";
import { runTransaction } from "./transaction.ts";

/** Changes in one transaction at most: it stays short for those who wait for what it holds. */
const MOST_TOGETHER = 50;

/** Transactions of pooled changes under way at once: while these are on their way, the next ones gather. */
const MOST_POOLS = 1;

/** Longest wait after a collision; a transaction takes about as long, and by chance two do not meet again. */
const RETRY_WITHIN_MS = 10;

/** Key of the changes of this process that have collided: from then on they take turns. */
const COLLIDED = "collided changes";

/** What a change that has been made, but not yet committed, tells; `succeed` is called after the commit. */
export interface MadeChange<Told> {
  told: Told;
  succeed: () => void;
}

/** A change that waits for its turn. */
export interface WaitingChange<Told> extends Queued {
  /** Fails the change if it has waited too long; true then. */
  hasExpired(): boolean;
  /** Begins it under `session`. @returns what is to be done before it is made, once for all that return the same */
  begin(session: ClientSession): StepRun | undefined;
  /** Makes it under `session`. Called again when the transaction has to start over; a throw ends the change. */
  make(session: ClientSession): Promise<MadeChange<Told>>;
  fail(error: unknown): void;
}

/** What the pool's owner writes beside the changes themselves. */
export interface PoolWrites<Told> {
  /**
   * Writes to what the keys name, as the first thing in a transaction: who comes through has it for himself until
   * his commit, who does not finds out at once.
   */
  claim(session: ClientSession, keys: readonly string[]): Promise<unknown>;
  /**
   * Puts down what the changes of one transaction tell, as its last writes.
   * @returns to be called once it is committed
   */
  writeDown(session: ClientSession, told: readonly Told[]): Promise<() => void>;
}

/** How far a transaction has got: which change is being made, and whether all have been. */
interface Progress<Told> {
  making?: WaitingChange<Told> | undefined;
  isReadyToCommit: boolean;
}

/**
 * Commits changes: those that share a key one after the other, pooled ones together with whatever else waits, so that a
 * crowd costs a few commits and not one for each of it. If a pooled change fails, none of its transaction has happened;
 * the others are made again without it, and it is made once more alone.
 *
 * Changes that collide with those of other processes, or over something that their keys do not name, take turns from
 * then on and claim what they share before anything else: all at once they would go on hindering each other, with one
 * winner per round.
 */
export class ChangePool<Told> {
  readonly #database: { connection: Connection };
  readonly #writes: PoolWrites<Told>;
  readonly #busyKeys = new Set<string>();
  #waiting: WaitingChange<Told>[] = [];
  #poolsUnderWay = 0;

  constructor(database: { connection: Connection }, writes: PoolWrites<Told>) {
    this.#database = database;
    this.#writes = writes;
  }

  /** Commits `change` as soon as those that share one of its keys let it; `change` hears how it went. */
  add(change: WaitingChange<Told>): void {
    this.#waiting.push(change);
    this.#startNext();
  }

  #startNext(): void {
    const room = this.#poolsUnderWay < MOST_POOLS ? MOST_TOGETHER : 0;
    const { alone, together, later } = nextChanges(this.#waiting, {
      busyKeys: this.#busyKeys,
      room,
    });
    this.#waiting = later;
    for (const change of alone) void this.#run([change]);
    if (together.length > 0) void this.#runPool(together);
  }

  async #runPool(changes: readonly WaitingChange<Told>[]): Promise<void> {
    this.#poolsUnderWay += 1;
    await this.#run(changes, () => {
      this.#poolsUnderWay -= 1;
    });
  }

  /** @param tried called after the first attempt: those that collide hold up nobody but who shares a key with them */
  async #run(changes: readonly WaitingChange<Told>[], tried?: () => void): Promise<void> {
    const keys = changes.flatMap((change) => change.keys);
    for (const key of keys) this.#busyKeys.add(key);
    const isSettled = await this.#settle(changes, "unclaimed");
    tried?.();
    if (!isSettled) {
      this.#startNext();
      await withLocks(this, [COLLIDED], () => this.#settleCollided(changes));
    }
    for (const key of keys) this.#busyKeys.delete(key);
    this.#startNext();
  }

  /** Each collision halves how many go together next: the fewer, the less there is to collide over. */
  async #settleCollided(changes: readonly WaitingChange<Told>[]): Promise<void> {
    let left = changes;
    let most = changes.length;
    while (left.length > 0) {
      await delay(Math.random() * RETRY_WITHIN_MS);
      const next = left.slice(0, most);
      if (await this.#settle(next, "claimed")) left = left.slice(next.length);
      else most = Math.max(1, Math.floor(next.length / 2));
    }
  }

  /** Commits the changes or fails them. @returns false if they collided: nothing has happened to any of them then */
  async #settle(
    waiting: readonly WaitingChange<Told>[],
    start: "claimed" | "unclaimed",
  ): Promise<boolean> {
    const changes = waiting.filter((change) => !change.hasExpired());
    if (changes.length === 0) return true;
    const progress: Progress<Told> = { isReadyToCommit: false };
    try {
      const committed = await runTransaction(this.#database, async (session) => {
        if (start === "claimed") await this.#claim(session, changes);
        return this.#makeAll(session, changes, progress);
      });
      committed?.result();
      return committed !== null;
    } catch (error) {
      // A commit whose answer was lost may have happened: nothing of it may be made again.
      const isFinal = progress.isReadyToCommit || changes.length === 1;
      if (isFinal) for (const change of changes) change.fail(error);
      else await this.#settleApart(changes, progress.making);
      return true;
    }
  }

  /** After a failure: all others without the one that failed, each for itself if it is not known which one did. */
  async #settleApart(
    changes: readonly WaitingChange<Told>[],
    failed: WaitingChange<Told> | undefined,
  ): Promise<void> {
    if (!failed) {
      for (const change of changes) await this.#settleCollided([change]);
      return;
    }
    await this.#settleCollided(changes.filter((change) => change !== failed));
    await this.#settleCollided([failed]);
  }

  #claim(session: ClientSession, changes: readonly WaitingChange<Told>[]): Promise<unknown> {
    const keys = new Set(changes.flatMap((change) => change.keys));
    return this.#writes.claim(session, [...keys]);
  }

  async #makeAll(
    session: ClientSession,
    changes: readonly WaitingChange<Told>[],
    progress: Progress<Told>,
  ): Promise<() => void> {
    const steps = new Set(changes.flatMap((change) => change.begin(session) ?? []));
    for (const step of steps) await step.run(session);
    const made: MadeChange<Told>[] = [];
    for (const change of changes) {
      progress.making = change;
      made.push(await change.make(session));
    }
    progress.making = undefined;
    const told = made.map((change) => change.told);
    const afterCommit = await this.#writes.writeDown(session, told);
    progress.isReadyToCommit = true;
    return () => {
      afterCommit();
      for (const { succeed } of made) succeed();
    };
  }
}
