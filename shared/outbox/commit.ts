import type { EventData, EventName } from "@shared/contract/events/event-data.ts";
import type { Database } from "@shared/database/database.ts";
import { type UserCounter, type UserCounts, ZERO_COUNTS } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ClientSession, Model } from "mongoose";
import { type BatchedWrite, GroupCommitter, type PendingUnit } from "./group-commit.ts";
import type { PendingWrites } from "./outbox-writer.ts";
import { type NewSecurityLogEntry, newLogRecord, type RequestOrigin } from "./security-log.ts";

/** Writes of one command: those made under `session`, its events and its deferred inserts commit together or not at all. */
export interface UnitOfWork {
  session: ClientSession;
  /** Time of the unit and of all its events. */
  at: Date;
  /** @param to.requestId of the request that caused the event, if it differs from that of the unit */
  addEvent<Name extends EventName>(
    to: string | { stream: string; requestId: string | undefined },
    name: Name,
    data: EventData<Name>,
  ): void;
  /** Adds an event to several streams. What their data have in common is stored once. At most some hundreds. */
  addEvents<Name extends EventName>(
    name: Name,
    recipients: readonly { stream: string; data: EventData<Name> }[],
  ): void;
  /** Inserts a document at the end of the transaction. Other units of the transaction cannot read it. */
  deferInsert<Stored extends object>(into: Model<Stored>, document: NoInfer<Stored>): void;
  /** Like `deferInsert`, for a document that depends on a user's counters before the unit. `make` may throw. */
  deferCountedInsert<Stored extends object>(
    into: Model<Stored>,
    stream: string,
    make: (counts: UserCounts) => NoInfer<Stored>,
  ): void;
  /** Changes a counter of the user of a stream. */
  count(stream: string, counter: UserCounter, change: 1 | -1): void;
  /** Adds an event without a number, which only servers read. */
  addInstruction(name: string, data: unknown): void;
  log(entry: NewSecurityLogEntry): void;
}

export interface CommitOptions {
  /** Units of one process that share a key run one after the other. Usually the streams that the unit writes to. */
  lockKeys: string | readonly string[];
  /** Whether the unit may share a transaction with others. For frequent and quick units. */
  groupCommit?: boolean;
  /** User name of the administrator whose action it is. */
  actor?: string;
  requestId?: string | undefined;
  origin?: RequestOrigin | undefined;
  /** The clock of the database, unless something happens as of another time. */
  now?: () => Date;
}

/** The API promises its 503 within 10 s, of which a read before the commit may take 3 s. */
const COMMIT_TIMEOUT_MS = 6_000;

/**
 * Runs `apply` in a transaction and commits its writes together with its events.
 *
 * `apply` runs again when the transaction is retried after a write conflict: it must have no effects outside the session.
 * @throws what `apply` throws; AppError `unavailable` on timeout, after which it may still be committed; AppError
 *   `unauthenticated` if it adds an event for a deleted user
 */
export function commit<Result>(
  database: Database,
  options: CommitOptions,
  apply: (uow: UnitOfWork) => Result | Promise<Result>,
): Promise<Result> {
  return submit(database, options, { start: () => apply });
}

/**
 * Like `commit`, for a unit that first takes part in a batched write.
 * @param options.batch.input of this unit; `apply` gets the output for it
 */
export function commitBatched<Input, Output, Result>(
  database: Database,
  options: CommitOptions & {
    batch: { write: BatchedWrite<Input, Output>; input: (at: Date) => Input };
  },
  apply: (uow: UnitOfWork, output: Output) => Result | Promise<Result>,
): Promise<Result> {
  const { write, input } = options.batch;
  return submit(database, options, {
    batch: write,
    start(session, at) {
      const readOutput = write.add(session, input(at));
      return (uow) => apply(uow, readOutput());
    },
  });
}

/** One for each database, so that all units that share a key meet in it. */
const committers = new WeakMap<Database, GroupCommitter>();

function committerOf(database: Database): GroupCommitter {
  const committer = committers.get(database) ?? new GroupCommitter(database);
  committers.set(database, committer);
  return committer;
}

/** Units of both share the locks of `database`, where `view` is another view of it. */
export function shareLocks(view: Database, database: Database): void {
  committers.set(view, committerOf(database));
}

interface Work<Result> {
  batch?: PendingUnit["batch"];
  /** @returns what is applied once the batched write has run */
  start: (session: ClientSession, at: Date) => (uow: UnitOfWork) => Result | Promise<Result>;
}

async function submit<Result>(
  database: Database,
  options: CommitOptions,
  { batch, start }: Work<Result>,
): Promise<Result> {
  const { lockKeys, groupCommit = false, now = database.now } = options;
  const expiry = new AbortController();
  const timeout = setTimeout(() => expiry.abort(unavailable()), COMMIT_TIMEOUT_MS);
  try {
    return await new Promise<Result>((resolve, reject) => {
      expiry.signal.addEventListener("abort", () => reject(expiry.signal.reason));
      committerOf(database).add({
        keys: [lockKeys].flat(),
        groupCommit,
        batch,
        expired: expiry.signal,
        start(session) {
          const at = now();
          const apply = start(session, at);
          return {
            async apply() {
              const writes = emptyWrites(options, at);
              const result = await apply(unitOfWork(session, writes));
              return { writes, committed: () => resolve(result) };
            },
          };
        },
        reject,
      });
    });
  } finally {
    clearTimeout(timeout);
  }
}

const emptyWrites = ({ actor, requestId, origin }: CommitOptions, at: Date): PendingWrites => ({
  at,
  origin,
  actor,
  requestId,
  inserts: [],
  events: [],
  instructions: [],
  counts: [],
  logEntries: [],
});

function unitOfWork(session: ClientSession, writes: PendingWrites): UnitOfWork {
  return {
    session,
    at: writes.at,
    addEvent(to, name, data) {
      const { stream, ...origin } = typeof to === "string" ? { stream: to } : to;
      writes.events.push({ ...origin, name, recipients: [{ stream, data }] });
    },
    addEvents(name, recipients) {
      if (recipients.length > 0) writes.events.push({ name, recipients });
    },
    deferInsert: ({ collection }, document) =>
      writes.inserts.push({ collection: collection.collectionName, document }),
    deferCountedInsert: ({ collection }, stream, make) =>
      writes.inserts.push({ collection: collection.collectionName, stream, make }),
    count: (stream, counter, change) =>
      writes.counts.push({ stream, change: { ...ZERO_COUNTS, [counter]: change } }),
    addInstruction: (name, data) => writes.instructions.push({ name, data }),
    log: (entry) => writes.logEntries.push(newLogRecord({ actor: writes.actor, ...entry }, writes)),
  };
}

const unavailable = (): AppError =>
  new AppError("unavailable", "The service is busy. Please try again in a moment.", {
    retryAfterSeconds: 5,
  });
