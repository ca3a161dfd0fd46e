import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession, Connection } from "mongoose";
import { withLocks } from "./locks.ts";
import { runTransaction } from "./transaction.ts";

/** Changes in one transaction at most: it stays short for those who wait for what it holds. */
const MOST_TOGETHER = 50;

/** Longest wait after a collision; a transaction takes about as long, and by chance two do not meet again. */
const RETRY_WITHIN_MS = 10;

/** What a change that has been made, but not yet committed, tells; `succeed` is called after the commit. */
export interface MadeChange<Told> {
  told: Told;
  succeed: () => void;
}

/** A change that waits for its turn. */
export interface PooledChange<Told> {
  /** What it shares with others. */
  readonly keys: readonly string[];
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
  /** Puts down what the changes of one transaction tell, as its last writes. */
  writeDown(session: ClientSession, told: readonly Told[]): Promise<void>;
}

interface CollidedGroup<Told> {
  changes: readonly PooledChange<Told>[];
  settled: () => void;
}

/**
 * Commits changes that would wait for each other anyway together: whoever comes while another change with the same
 * keys is under way goes through with all others that came meanwhile, in the order of their coming, in one
 * transaction. So a crowd on one stream costs two commits and not one for each.
 *
 * Changes that collide with those of other processes, or over something that their keys do not name, are tried again
 * together too: each for itself they would go on hindering each other, with one winner per round. From then on they
 * claim what they share before anything else. If a change of several fails, none of it has happened and each is made
 * alone.
 */
export class ChangePool<Told> {
  readonly #database: { connection: Connection };
  readonly #writes: PoolWrites<Told>;
  /** Groups that others may still join, by their keys. */
  readonly #open = new Map<string, PooledChange<Told>[]>();
  #collided: CollidedGroup<Told>[] = [];
  #isRetrying = false;

  constructor(database: { connection: Connection }, writes: PoolWrites<Told>) {
    this.#database = database;
    this.#writes = writes;
  }

  /** Commits `change` as soon as those that share one of its keys let it; `change` hears how it went. */
  add(change: PooledChange<Told>): void {
    const { keys } = change;
    const name = [...keys].sort().join();
    const open = this.#open.get(name);
    if (open && open.length < MOST_TOGETHER) {
      open.push(change);
      return;
    }
    const group = [change];
    this.#open.set(name, group);
    void withLocks(this.#database, keys, async () => {
      if (this.#open.get(name) === group) this.#open.delete(name);
      if (!(await this.#settle(group, "unclaimed"))) await this.#settleLater(group);
    });
  }

  /** Commits the changes or fails them. @returns false if they collided: nothing has happened to any of them then */
  async #settle(
    changes: readonly PooledChange<Told>[],
    start: "claimed" | "unclaimed",
  ): Promise<boolean> {
    let isReadyToCommit = false;
    try {
      const committed = await runTransaction(this.#database, async (session) => {
        if (start === "claimed") await this.#claim(session, changes);
        const made = await this.#makeAll(session, changes);
        isReadyToCommit = true;
        return made;
      });
      for (const { succeed } of committed?.result ?? []) succeed();
      return committed !== null;
    } catch (error) {
      // A commit whose answer was lost may have happened: nothing of it may be made again.
      const isFinal = isReadyToCommit || changes.length === 1;
      for (const change of changes) {
        if (isFinal) change.fail(error);
        else await this.#settleAlone(change);
      }
      return true;
    }
  }

  #claim(session: ClientSession, changes: readonly PooledChange<Told>[]): Promise<unknown> {
    const keys = new Set(changes.flatMap((change) => change.keys));
    return this.#writes.claim(session, [...keys]);
  }

  async #makeAll(
    session: ClientSession,
    changes: readonly PooledChange<Told>[],
  ): Promise<MadeChange<Told>[]> {
    const made: MadeChange<Told>[] = [];
    for (const change of changes) made.push(await change.make(session));
    const told = made.map((change) => change.told);
    await this.#writes.writeDown(session, told);
    return made;
  }

  async #settleAlone(change: PooledChange<Told>): Promise<void> {
    while (!(await this.#settle([change], "claimed"))) await delay(Math.random() * RETRY_WITHIN_MS);
  }

  /** Resolves once the changes have been committed or failed, with whatever else has collided by then. */
  #settleLater(changes: readonly PooledChange<Told>[]): Promise<void> {
    return new Promise((settled) => {
      this.#collided.push({ changes, settled });
      if (!this.#isRetrying) void this.#retryCollided();
    });
  }

  /** Each collision halves how many groups go together next: the fewer, the less there is to collide over. */
  async #retryCollided(): Promise<void> {
    this.#isRetrying = true;
    let most = MOST_TOGETHER;
    while (this.#collided.length > 0) {
      await delay(Math.random() * RETRY_WITHIN_MS);
      const groups = this.#collided.slice(0, most);
      const changes = groups.flatMap((group) => group.changes);
      if (await this.#settle(changes, "claimed")) {
        this.#collided = this.#collided.slice(groups.length);
        for (const { settled } of groups) settled();
        most = MOST_TOGETHER;
      } else {
        most = Math.max(1, Math.floor(groups.length / 2));
      }
    }
    this.#isRetrying = false;
  }
}
