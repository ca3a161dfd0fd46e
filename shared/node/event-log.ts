import type { EventData, EventName, SessionEndReason } from "@shared/contract/events.ts";
import type { ClientSession } from "mongoose";
import { AppError } from "./app-error.ts";
import { ChangePool } from "./change-pool.ts";
import type { Database } from "./database.ts";
import type { AuditDetails } from "./models/audit-entry.ts";
import type { StepRun } from "./shared-step.ts";
import type { StreamPlace, ToldChange } from "./told-change.ts";
import { writeDown } from "./write-down.ts";

/** One change in the making: what is written under `session` and what is told commit together or not at all. */
export interface Change {
  session: ClientSession;
  /** When the change happens; the same instant for every event of it. */
  at: Date;
  /**
   * Adds a document at the end of the transaction, together with those that others of it add there. None of its changes
   * finds it yet: what a later one has to know of it goes into `TransactionNotes`.
   */
  insert(into: { collectionName: string }, document: object): void;
  /** Adds one in the same way that hangs on the change's place in a stream; what `make` throws calls the change off. */
  insertPlaced(
    into: { collectionName: string },
    stream: string,
    make: (place: StreamPlace) => object,
  ): void;
  tell<Name extends EventName>(stream: string, name: Name, data: EventData<Name>): void;
  endSessions(order: { userId: string; reason: SessionEndReason; exceptSessionId?: string }): void;
  /** Adds to what the audit trail says about the change; of no effect where no administrator acts. */
  remark(details: AuditDetails): void;
}

/** How a change is made. */
export interface ChangeOptions {
  /** Changes of one process that share this key (one of these keys) wait for each other. */
  serializeOn: string | readonly string[];
  /**
   * Whether it may be committed in one transaction with other pooled changes: for those that come in crowds and are
   * quick to make. A crowd of them costs a few commits and not one for each.
   */
  isPooled?: boolean;
  /** Adds the change to a step that it shares with others of its transaction; `at` is when it happens. */
  join?: (session: ClientSession, at: Date) => StepRun;
  /** User name of the administrator whose action the change is; it is written into the audit trail then. */
  actor?: string;
  /** Id of the request that the change goes back to; the logs of all parts name it. */
  requestId?: string | undefined;
  now?: () => Date;
}

/**
 * A change that still collides or finds no database after this time is given up, so that the API keeps its promise of a
 * 503 within 10 s; the driver itself would try for 2 minutes.
 */
const GIVE_UP_AFTER_MS = 8_000;

/** Changes nothing that anybody reads; a counter that is not there stays so. */
const CLAIM = { $inc: { claims: 1 } } as const;

const pools = new WeakMap<Database, ChangePool<ToldChange>>();

/**
 * Runs `apply` in one transaction together with the events that it tells. Each event gets the next number
 * of its stream, so that the log has no gap and no number twice, whichever process dies.
 *
 * `apply` runs again when another process changed the same documents meanwhile: it must have no effect
 * outside the session, and is given up after 8 s. Changes of one process that share `serializeOn` (usually the streams
 * they write to) wait for each other instead of colliding in the database.
 * @throws AppError `unavailable` when the database could not take the change in time, `unauthenticated` when it
 *   tells something to a user who has been deleted
 */
export function commitChange<Result>(
  database: Database,
  options: ChangeOptions,
  apply: (change: Change) => Result | Promise<Result>,
): Promise<Result> {
  const { isPooled = false, now = () => new Date() } = options;
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  let told = nothingTold(options, now());
  return new Promise((resolve, reject) => {
    poolOf(database).add({
      keys: [options.serializeOn].flat(),
      isPooled,
      hasExpired() {
        const isLate = performance.now() > giveUpAt;
        if (isLate) reject(unavailable());
        return isLate;
      },
      begin(session) {
        told = nothingTold(options, now());
        return options.join?.(session, told.at);
      },
      async make(session) {
        const result = await apply(changeOf(session, told));
        return { told, succeed: () => resolve(result) };
      },
      fail: reject,
    });
  });
}

const nothingTold = (
  { actor, requestId }: Pick<ChangeOptions, "actor" | "requestId">,
  at: Date,
): ToldChange => ({
  ...{ at, actor, requestId },
  ...{ inserts: [], events: [], orders: [], remarks: {} },
});

function poolOf(database: Database): ChangePool<ToldChange> {
  const pool =
    pools.get(database) ??
    new ChangePool<ToldChange>(database, {
      claim: (session, keys) =>
        database.streamHeads.updateMany({ _id: { $in: keys } }, CLAIM, { session }),
      writeDown: (session, told) => writeDown(database, session, told),
    });
  pools.set(database, pool);
  return pool;
}

/** What `apply` gets to write with; it fills `told`. */
function changeOf(session: ClientSession, told: ToldChange): Change {
  return {
    session,
    at: told.at,
    insert: ({ collectionName: into }, document) => told.inserts.push({ into, document }),
    insertPlaced: ({ collectionName: into }, stream, make) =>
      told.inserts.push({ into, stream, make }),
    tell: (stream, name, data) => told.events.push({ stream, name, data }),
    endSessions: (order) => told.orders.push({ name: "session:ended", data: order }),
    remark: (details) => Object.assign(told.remarks, details),
  };
}

/**
 * Removes a stream with all its events, for instance that of a user who is being deleted. Its head is advanced
 * before it goes: that makes this change collide with any other that tells something in the same stream, even the very
 * first thing.
 */
export async function endStream(
  database: Database,
  { session }: Pick<Change, "session">,
  stream: string,
): Promise<void> {
  const head = { _id: stream };
  await database.streamHeads.updateOne(head, { $inc: { head: 1 } }, { session, upsert: true });
  await database.streamHeads.deleteOne(head, { session });
  await database.events.deleteMany({ stream }, { session });
}

function unavailable(): AppError {
  return new AppError("unavailable", "The service is busy. Please try again in a moment.", {
    retryAfterSeconds: 5,
  });
}
