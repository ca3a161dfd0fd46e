import { setTimeout as delay } from "node:timers/promises";
import { Mutex } from "async-mutex";
import type { ClientSession, Connection } from "mongoose";
import { canRetry, mayHaveCommitted, runTransaction } from "../database/transaction.ts";

/** Units of work in one transaction, at most: it stays short for others that need what it has locked. */
const MAX_GROUP_SIZE = 50;

/**
 * Longest random wait before a retry, in milliseconds. It is about as long as a transaction takes: a process that commits
 * without a pause leaves others only the moments between two commits.
 */
const MAX_RETRY_DELAY_MS = 10;

/** What decides when a unit of work may run. */
export interface Schedulable {
  /** Units that have a key in common run in the order in which they were added. */
  readonly keys: readonly string[];
  /** Whether it may share its transaction with other units. */
  readonly groupCommit: boolean;
}

/** A unit of work that waits for its commit. */
export interface PendingUnit<Writes> extends Schedulable {
  /** Whether its caller has its answer already, because the unit took too long. */
  isSettled(): boolean;
  /** Adds what it shares with other units to their batches. @returns the batch to be written before it is prepared */
  begin(session: ClientSession): { run(session: ClientSession): Promise<void> } | undefined;
  /** Does its own writes. Runs again when the transaction is retried. */
  prepare(session: ClientSession): Promise<PreparedUnit<Writes>>;
  reject(error: unknown): void;
}

/** A unit of work that is ready to be committed. */
export interface PreparedUnit<Writes> {
  /** What is written for all units of the transaction together, at its end. */
  writes: Writes;
  /** Called after the commit. */
  resolve(): void;
}

/** Thrown by the last writes of a transaction when one of its units cannot be committed. */
export class RejectedWritesError extends Error {
  override readonly name = "RejectedWritesError";
  /** Position of the unit among those of the transaction. */
  readonly index: number;

  constructor(message: string, options: { cause: unknown; index: number }) {
    super(message, { cause: options.cause });
    this.index = options.index;
  }
}

/**
 * Commits units of work: those that share a key one after the other, those that allow it together in one transaction, so
 * that many at once cost a few commits. A unit that is rejected does not affect the others of its transaction: they are
 * committed together without it. A transaction that conflicts with one of another process is retried until its units
 * are out of time.
 */
export class GroupCommitter<Writes> {
  readonly #database: { connection: Connection };
  readonly #write: (session: ClientSession, writes: readonly Writes[]) => Promise<void>;
  readonly #busyKeys = new Set<string>();
  #waiting: PendingUnit<Writes>[] = [];
  readonly #retrying = new Mutex();
  #isGroupRunning = false;

  /** @param write makes the last writes of a transaction, for all its units */
  constructor(
    database: { connection: Connection },
    write: (session: ClientSession, writes: readonly Writes[]) => Promise<void>,
  ) {
    this.#database = database;
    this.#write = write;
  }

  /** Commits `unit` as soon as those that share one of its keys allow it. */
  add(unit: PendingUnit<Writes>): void {
    this.#waiting.push(unit);
    this.#startNext();
  }

  #startNext(): void {
    const maxGroupSize = this.#isGroupRunning ? 0 : MAX_GROUP_SIZE;
    const selected = selectRunnable(this.#waiting, { busyKeys: this.#busyKeys, maxGroupSize });
    this.#waiting = selected.later;
    for (const unit of selected.single) void this.#run([unit]);
    if (selected.group.length > 0) void this.#runGroup(selected.group);
  }

  async #runGroup(units: readonly PendingUnit<Writes>[]): Promise<void> {
    this.#isGroupRunning = true;
    await this.#run(units, () => {
      this.#isGroupRunning = false;
    });
  }

  async #run(units: readonly PendingUnit<Writes>[], onEnd?: () => void): Promise<void> {
    const keys = units.flatMap((unit) => unit.keys);
    for (const key of keys) this.#busyKeys.add(key);
    await this.#commit(units);
    for (const key of keys) this.#busyKeys.delete(key);
    onEnd?.();
    this.#startNext();
  }

  /**
   * Commits or rejects each of the units. Transactions that conflict are retried one at a time: many at once would go on
   * conflicting with each other, with one success for each round.
   */
  async #commit(units: readonly PendingUnit<Writes>[]): Promise<void> {
    let left = await this.#attempt(units);
    if (left.length === 0) return;
    await this.#retrying.runExclusive(async () => {
      while (left.length > 0) {
        await delay(Math.random() * MAX_RETRY_DELAY_MS);
        left = await this.#attempt(left);
      }
    });
  }

  /** @returns the units whose transaction is to be retried */
  async #attempt(units: readonly PendingUnit<Writes>[]): Promise<readonly PendingUnit<Writes>[]> {
    const pending = units.filter((unit) => !unit.isSettled());
    if (pending.length === 0) return [];
    try {
      const prepared = await runTransaction(this.#database, (session) =>
        this.#prepare(session, pending),
      );
      for (const unit of prepared) unit.resolve();
      return [];
    } catch (error) {
      return canRetry(error) ? pending : this.#settle(pending, error);
    }
  }

  /** After a failure that a retry would not mend. @returns the units whose transaction is to be retried */
  async #settle(
    units: readonly PendingUnit<Writes>[],
    error: unknown,
  ): Promise<readonly PendingUnit<Writes>[]> {
    if (error instanceof RejectedWritesError) {
      units[error.index]?.reject(error.cause);
      return this.#attempt(units.filter((_, index) => index !== error.index));
    }
    // What may have been committed must not be committed again.
    if (units.length === 1 || mayHaveCommitted(error)) {
      for (const unit of units) unit.reject(error);
      return [];
    }
    const left: PendingUnit<Writes>[] = [];
    for (const unit of units) left.push(...(await this.#attempt([unit])));
    return left;
  }

  async #prepare(
    session: ClientSession,
    units: readonly PendingUnit<Writes>[],
  ): Promise<PreparedUnit<Writes>[]> {
    const batches = new Set(units.flatMap((unit) => unit.begin(session) ?? []));
    for (const batch of batches) await batch.run(session);
    const prepared: PreparedUnit<Writes>[] = [];
    for (const [index, unit] of units.entries()) {
      try {
        prepared.push(await unit.prepare(session));
      } catch (error) {
        throw canRetry(error)
          ? error
          : new RejectedWritesError("A unit of work was rejected.", { cause: error, index });
      }
    }
    await this.#write(
      session,
      prepared.map(({ writes }) => writes),
    );
    return prepared;
  }
}

/** Units that may run now, each alone or all in one transaction, and units that have to wait. */
export interface Selection<Unit> {
  single: Unit[];
  group: Unit[];
  later: Unit[];
}

/**
 * Selects the units that may run now. None overtakes another with which it shares a key.
 * @param waiting in the order in which they were added
 * @param options.busyKeys keys of the units that are running
 * @param options.maxGroupSize how many may be selected for the group
 */
export function selectRunnable<Unit extends Schedulable>(
  waiting: readonly Unit[],
  options: { busyKeys: ReadonlySet<string>; maxGroupSize: number },
): Selection<Unit> {
  const selection: Selection<Unit> = { single: [], group: [], later: [] };
  const blocked = new Set(options.busyKeys);
  const grouped = new Set<string>();
  for (const unit of waiting) {
    const { keys, groupCommit } = unit;
    const isFree = !keys.some((key) => blocked.has(key) || (!groupCommit && grouped.has(key)));
    const fits = !groupCommit || selection.group.length < options.maxGroupSize;
    const runsNow = isFree && fits;
    if (!runsNow) selection.later.push(unit);
    else if (groupCommit) selection.group.push(unit);
    else selection.single.push(unit);
    for (const key of keys) (runsNow && groupCommit ? grouped : blocked).add(key);
  }
  return selection;
}
