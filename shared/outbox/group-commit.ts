import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@shared/database/database.ts";
import { Mutex } from "async-mutex";
import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";
import { type PendingWrites, UnitRejectedError, writeOutbox } from "./outbox-writer.ts";
import { presentLogEntry } from "./security-log.ts";

const { MongoError, MongoServerError } = mongoose.mongo;

/** Shorter than the timeout of a unit of work. */
const COMMIT_TIMEOUT_MS = 4_000;

const OPTIONS = { writeConcern: { w: "majority" }, maxCommitTimeMS: COMMIT_TIMEOUT_MS } as const;

/**
 * Runs `work` in one transaction, without the driver's own retries, which wait for up to two minutes.
 * @throws what `work` throws; nothing is committed then
 * @throws MongoError when the commit fails; see `canRetry` and `mayHaveCommitted`
 */
async function runTransaction<Result>(
  { connection }: { connection: Connection },
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const session = connection.getClient().startSession();
  try {
    session.startTransaction(OPTIONS);
    const result = await work(session);
    await session.commitTransaction();
    return result;
  } finally {
    // Aborts a transaction that is still open.
    await session.endSession();
  }
}

/** Returns true if the reply to a commit was lost or late: it may have succeeded. */
const mayHaveCommitted = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult");

/** Returns true after a write conflict or a connection error: nothing was committed, and a retry may succeed. */
function canRetry(error: unknown): boolean {
  if (!(error instanceof MongoError) || mayHaveCommitted(error)) return false;
  // A bulk write wraps a connection error as a server error without a code.
  const isFromServer = error instanceof MongoServerError && error.code !== undefined;
  return !isFromServer || error.hasErrorLabel("TransientTransactionError");
}

/** Maximum units of work in one transaction. A short one holds its locks for a short time. */
const MAX_GROUP_SIZE = 50;

/** About as long as a transaction takes: shorter waits would leave other processes no time to commit. */
const MAX_RETRY_DELAY_MS = 10;

interface Schedulable {
  /** Units that have a key in common run in the order in which they were added. */
  readonly keys: readonly string[];
  readonly groupCommit: boolean;
  /** The write that the unit shares with others. A transaction makes one such write, and those of another wait for the next. */
  readonly batch: SharedWrite | undefined;
}

/** See `BatchedWrite`. */
interface SharedWrite {
  run(session: ClientSession): Promise<void>;
}

export interface PendingUnit extends Schedulable {
  /** The caller has an answer already, because the unit took too long. */
  readonly expired: AbortSignal;
  /** Called again when the transaction is retried. */
  start(session: ClientSession): StartedUnit;
  reject(error: unknown): void;
}

export interface StartedUnit {
  /** Makes the unit's own writes, after the batched write. */
  apply(): Promise<AppliedUnit>;
}

interface AppliedUnit {
  /** Written at the end of the transaction, together with those of the other units. */
  writes: PendingWrites;
  /** Answers the caller. */
  committed(): void;
}

/**
 * Commits units of work. Units that share a key commit one after the other; units that allow it commit together in one
 * transaction. A rejected unit does not affect the others of its transaction. A transaction that conflicts with another
 * process is retried until its units time out.
 */
export class GroupCommitter {
  readonly #database: Database;
  readonly #busyKeys = new Set<string>();
  readonly #retrying = new Mutex();
  #waiting: PendingUnit[] = [];
  #isGroupRunning = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Commits `unit` as soon as no earlier unit with one of its keys is left. */
  add(unit: PendingUnit): void {
    this.#waiting.push(unit);
    this.#startNext();
  }

  #startNext(): void {
    const maxGroupSize = this.#isGroupRunning ? 0 : MAX_GROUP_SIZE;
    const selected = selectRunnable(this.#waiting, { busyKeys: this.#busyKeys, maxGroupSize });
    this.#waiting = selected.later;
    for (const unit of selected.single) void this.#run([unit]);
    if (selected.group.length === 0) return;
    this.#isGroupRunning = true;
    void this.#run(selected.group, () => {
      this.#isGroupRunning = false;
    });
  }

  async #run(units: readonly PendingUnit[], onEnd?: () => void): Promise<void> {
    const keys = units.flatMap((unit) => unit.keys);
    for (const key of keys) this.#busyKeys.add(key);
    await this.#commit(units);
    for (const key of keys) this.#busyKeys.delete(key);
    onEnd?.();
    this.#startNext();
  }

  /** Commits or rejects each unit. Conflicting transactions are retried one at a time, or they would conflict again. */
  async #commit(units: readonly PendingUnit[]): Promise<void> {
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
  async #attempt(units: readonly PendingUnit[]): Promise<readonly PendingUnit[]> {
    const pending = units.filter(({ expired }) => !expired.aborted);
    if (pending.length === 0) return [];
    try {
      const applied = await runTransaction(this.#database, (session) =>
        this.#apply(session, pending),
      );
      for (const { writes, committed } of applied) {
        for (const entry of writes.logEntries) {
          this.#database.logger?.info({ event: presentLogEntry(entry) }, "security event");
        }
        committed();
      }
      return [];
    } catch (error) {
      return canRetry(error) ? pending : this.#handleFailure(pending, error);
    }
  }

  /** @returns the units whose transaction is to be retried */
  async #handleFailure(
    units: readonly PendingUnit[],
    error: unknown,
  ): Promise<readonly PendingUnit[]> {
    if (error instanceof UnitRejectedError) {
      units[error.index]?.reject(error.cause);
      return this.#attempt(units.filter((_, index) => index !== error.index));
    }
    // The commit may have succeeded even though the reply was lost, so do not retry.
    if (units.length === 1 || mayHaveCommitted(error)) {
      for (const unit of units) unit.reject(error);
      return [];
    }
    const left: PendingUnit[] = [];
    for (const unit of units) left.push(...(await this.#attempt([unit])));
    return left;
  }

  /** Makes all writes of a transaction: batched writes, then those of each unit, then the outbox. */
  async #apply(session: ClientSession, units: readonly PendingUnit[]): Promise<AppliedUnit[]> {
    const started = units.map((unit) => unit.start(session));
    await batchOf(units)?.run(session);
    const applied: AppliedUnit[] = [];
    for (const [index, unit] of started.entries()) {
      try {
        applied.push(await unit.apply());
      } catch (error) {
        if (canRetry(error)) throw error;
        throw new UnitRejectedError("A unit of work was rejected.", { cause: error, index });
      }
    }
    const writes = applied.map((unit) => unit.writes);
    await writeOutbox(this.#database, session, writes);
    return applied;
  }
}

const batchOf = (units: readonly Schedulable[]): SharedWrite | undefined =>
  units.find(({ batch }) => batch)?.batch;

function canJoin(group: readonly Schedulable[], { batch }: Schedulable, maxSize: number): boolean {
  if (group.length >= maxSize) return false;
  const shared = batchOf(group);
  return !batch || !shared || batch === shared;
}

interface Selection<Unit> {
  single: Unit[];
  group: Unit[];
  later: Unit[];
}

/**
 * Selects the units that may run now. A unit never overtakes another that shares a key with it.
 * @param waiting in the order in which they were added
 * @param options.busyKeys keys of running units
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
    const fits = !groupCommit || canJoin(selection.group, unit, options.maxGroupSize);
    const runsNow = isFree && fits;
    if (!runsNow) selection.later.push(unit);
    else if (groupCommit) selection.group.push(unit);
    else selection.single.push(unit);
    for (const key of keys) (runsNow && groupCommit ? grouped : blocked).add(key);
  }
  return selection;
}

/** A list of at least one item. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];

interface Batch<Input, Output> {
  inputs: Input[];
  outputs: readonly Output[];
}

/** A write that many units of work need, made once for all units of a transaction to save commands. */
export class BatchedWrite<Input, Output> {
  readonly #write: (session: ClientSession, inputs: NonEmpty<Input>) => Promise<readonly Output[]>;
  readonly #batches = new WeakMap<ClientSession, Batch<Input, Output>>();

  /** @param write returns one output for each input, in the same order */
  constructor(
    write: (session: ClientSession, inputs: NonEmpty<Input>) => Promise<readonly Output[]>,
  ) {
    this.#write = write;
  }

  /**
   * Adds an input to the batch of a transaction.
   * @returns the output for it, once the batch has run
   */
  add(session: ClientSession, input: Input): () => Output {
    const batch = this.#batches.get(session) ?? { inputs: [], outputs: [] };
    this.#batches.set(session, batch);
    const index = batch.inputs.push(input) - 1;
    return () => {
      const output = batch.outputs[index];
      if (output === undefined) throw new Error("The batch has not run.");
      return output;
    };
  }

  async run(session: ClientSession): Promise<void> {
    const batch = this.#batches.get(session);
    const [first, ...others] = batch?.inputs ?? [];
    if (batch && first !== undefined)
      batch.outputs = await this.#write(session, [first, ...others]);
  }
}
