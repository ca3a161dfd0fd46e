import type { EventData, EventName, SessionEndReason } from "@shared/contract/events.ts";
import type { Database } from "@shared/database/database.ts";
import type { AuditDetails } from "@shared/database/models/event.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ClientSession, Types } from "mongoose";
import type { BatchedWrite } from "./batched-write.ts";
import { GroupCommitter, type PendingUnit } from "./group-commit.ts";
import { type PendingWrites, writeOutbox } from "./outbox-writer.ts";
import { userStream } from "./streams.ts";

/**
 * A unit of work: what it writes under `session`, the events that it adds, and what it defers all commit together or not
 * at all.
 */
export interface UnitOfWork {
  session: ClientSession;
  /** When it happens; the same for all its events. */
  at: Date;
  /** @param to.requestId of the request that caused the event, if it is another one than that of the unit */
  addEvent<Name extends EventName>(
    to: string | { stream: string; requestId: string | undefined },
    name: Name,
    data: EventData<Name>,
  ): void;
  /** Adds a document at the end of the transaction. No unit of the same transaction can read it. */
  deferInsert(into: { collectionName: string }, document: object): void;
  /**
   * The same for a document that depends on how many unfinished signals its user has without this unit.
   * What `make` throws rejects the unit.
   */
  deferInsertAt(
    into: { collectionName: string },
    userId: Types.ObjectId,
    make: (position: { unfinishedSignals: number }) => object,
  ): void;
  /** Changes the number of unfinished signals of a user. */
  countUnfinishedSignals(userId: Types.ObjectId, change: 1 | -1): void;
  endSessions(order: { userId: string; reason: SessionEndReason; exceptSessionId?: string }): void;
  /** Adds to the audit entries of an administrator's action; no effect without `actor`. */
  addAuditDetails(details: AuditDetails): void;
}

export interface CommitOptions {
  /** Units of one process that share one of these keys run one after the other; usually the streams they write to. */
  lockKeys: string | readonly string[];
  /** Whether it may share its transaction with other units: for those that are frequent and quick. */
  groupCommit?: boolean;
  /** User name of the administrator whose action it is; the action is then written into the audit trail. */
  actor?: string;
  /** Id of the request that caused it, for the logs of all services. */
  requestId?: string | undefined;
  now?: () => Date;
}

/**
 * A unit that is not committed by then is rejected, in milliseconds. The API promises its 503 within 10 s, and a read
 * before the commit may have taken 3 s. The unit may still be committed if its commit is under way.
 */
const TIMEOUT_MS = 6_000;

/**
 * Runs `apply` in a transaction and commits what it writes together with the events that it adds.
 *
 * `apply` may run several times, since a transaction that conflicts with another one is retried: it must have no effect
 * outside the session.
 * @throws what `apply` throws; AppError `unavailable` when the unit could not be committed in time, `unauthenticated`
 *   when it adds an event for a user who has been deleted
 */
export function commit<Result>(
  database: Database,
  options: CommitOptions,
  apply: (uow: UnitOfWork) => Result | Promise<Result>,
): Promise<Result> {
  return submit(database, options, { begin: () => undefined, apply });
}

/**
 * The same for a unit that first takes part in a write that others of its transaction make too.
 * @param options.batch.input of this unit; `apply` gets the output
 */
export function commitBatched<Input, Output, Result>(
  database: Database,
  options: CommitOptions & {
    batch: { write: BatchedWrite<Input, Output>; input: (at: Date) => Input };
  },
  apply: (uow: UnitOfWork, output: Output) => Result | Promise<Result>,
): Promise<Result> {
  const { batch } = options;
  const readers = new WeakMap<ClientSession, () => Output>();
  return submit(database, options, {
    begin(session, at) {
      readers.set(session, batch.write.add(session, batch.input(at)));
      return batch.write;
    },
    apply(uow) {
      const readOutput = readers.get(uow.session);
      if (!readOutput) throw new Error("The unit of work has not begun.");
      return apply(uow, readOutput());
    },
  });
}

/** One for each database: what waits on the same keys has to meet in the same place. */
const committers = new WeakMap<Database, GroupCommitter<PendingWrites>>();

function committerOf(database: Database): GroupCommitter<PendingWrites> {
  const committer =
    committers.get(database) ??
    new GroupCommitter<PendingWrites>(database, (session, units) =>
      writeOutbox(database, session, units),
    );
  committers.set(database, committer);
  return committer;
}

function submit<Result>(
  database: Database,
  options: CommitOptions,
  work: {
    begin: (session: ClientSession, at: Date) => ReturnType<PendingUnit<PendingWrites>["begin"]>;
    apply: (uow: UnitOfWork) => Result | Promise<Result>;
  },
): Promise<Result> {
  const { lockKeys, groupCommit = false, now = () => new Date() } = options;
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (how: () => void) => {
      isSettled = true;
      clearTimeout(timeout);
      how();
    };
    const timeout = setTimeout(() => settle(() => reject(unavailable())), TIMEOUT_MS);
    let at = now();
    committerOf(database).add({
      keys: [lockKeys].flat(),
      groupCommit,
      isSettled: () => isSettled,
      begin(session) {
        at = now();
        return work.begin(session, at);
      },
      async prepare(session) {
        const writes = emptyWrites(options, at);
        const result = await work.apply(unitOfWork(session, writes));
        return { writes, resolve: () => settle(() => resolve(result)) };
      },
      reject: (error) => settle(() => reject(error)),
    });
  });
}

const emptyWrites = ({ actor, requestId }: CommitOptions, at: Date): PendingWrites => ({
  at,
  actor,
  requestId,
  inserts: [],
  events: [],
  instructions: [],
  unfinishedSignals: new Map(),
  auditDetails: {},
});

/** What `apply` works with; it fills `writes`. */
function unitOfWork(session: ClientSession, writes: PendingWrites): UnitOfWork {
  return {
    session,
    at: writes.at,
    addEvent(to, name, data) {
      const target = typeof to === "string" ? { stream: to } : to;
      writes.events.push({ ...target, name, data });
    },
    deferInsert: ({ collectionName: collection }, document) =>
      writes.inserts.push({ collection, document }),
    deferInsertAt: ({ collectionName: collection }, userId, make) =>
      writes.inserts.push({ collection, userId, make }),
    countUnfinishedSignals(userId, change) {
      const stream = userStream(userId);
      const sum = (writes.unfinishedSignals.get(stream) ?? 0) + change;
      writes.unfinishedSignals.set(stream, sum);
    },
    endSessions: (order) => writes.instructions.push({ name: "session:ended", data: order }),
    addAuditDetails: (details) => Object.assign(writes.auditDetails, details),
  };
}

function unavailable(): AppError {
  return new AppError("unavailable", "The service is busy. Please try again in a moment.", {
    retryAfterSeconds: 5,
  });
}
