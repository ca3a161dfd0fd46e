import type { EventData, EventName, SessionEndReason } from "@shared/contract/events.ts";
import { Mutex } from "async-mutex";
import type { ClientSession } from "mongoose";
import { AppError } from "./app-error.ts";
import type { Database } from "./database.ts";

/** The stream that all admins share. */
export const ADMINS_STREAM = "admins";

/** Unnumbered orders to the servers themselves, such as closing a user's sockets. */
export const CONTROL_STREAM = "control";

/** Name of a user's own stream. */
export const userStream = (userId: { toString(): string }): string => `user:${userId}`;

/** One change in the making: what is written under `session` and what is told commit together or not at all. */
export interface Change {
  session: ClientSession;
  /** When the change happens; the same instant for every event of it. */
  at: Date;
  tell<Name extends EventName>(stream: string, name: Name, data: EventData<Name>): void;
  endSessions(order: { userId: string; reason: SessionEndReason; exceptSessionId?: string }): void;
}

interface ToldEvent {
  stream: string;
  name: string;
  data: unknown;
}

/** A change that still collides or finds no database after this time is given up; the driver itself would try for 2 minutes. */
const GIVE_UP_AFTER_MS = 5_000;

const locksByDatabase = new WeakMap<Database, Map<string, Mutex>>();

/**
 * Runs `apply` in one transaction together with the events that it tells. Each event gets the next number
 * of its stream, so that the log has no gap and no number twice, whichever process dies.
 *
 * `apply` runs again when another process changed the same documents meanwhile: it must have no effect
 * outside the session, and is given up after 5 s. Changes of one process that share `serializeOn` (usually the stream they write to)
 * wait for each other instead of colliding in the database.
 * @throws AppError `unavailable` when the database could not take the change in time
 */
export async function commitChange<Result>(
  database: Database,
  options: { serializeOn: string; now?: () => Date },
  apply: (change: Change) => Promise<Result>,
): Promise<Result> {
  const now = options.now ?? (() => new Date());
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  return withLock({ database, key: options.serializeOn }, () =>
    database.connection.getClient().withSession((session) =>
      session.withTransaction(async () => {
        if (performance.now() > giveUpAt) throw unavailable();
        const told: ToldEvent[] = [];
        const at = now();
        const result = await apply({
          session,
          at,
          tell: (stream, name, data) => told.push({ stream, name, data }),
          endSessions: (order) =>
            told.push({ stream: CONTROL_STREAM, name: "session:ended", data: order }),
        });
        await appendEvents({ database, session, told, at });
        return result;
      }),
    ),
  );
}

function unavailable(): AppError {
  return new AppError("unavailable", "The service is busy. Please try again in a moment.", {
    retryAfterSeconds: 5,
  });
}

/** The last number of each stream, in the order asked; 0 where nothing was told yet. */
export async function streamHeads(
  database: Database,
  streams: readonly string[],
): Promise<number[]> {
  const counters = await database.streamCounters.find({ _id: { $in: [...streams] } }).lean();
  const seqByStream = new Map(counters.map((counter) => [counter._id, counter.seq]));
  return streams.map((stream) => seqByStream.get(stream) ?? 0);
}

async function appendEvents(options: {
  database: Database;
  session: ClientSession;
  told: ToldEvent[];
  at: Date;
}): Promise<void> {
  const { database, session, told, at } = options;
  const documents = [];
  for (const [stream, events] of groupByStream(told)) {
    if (stream === CONTROL_STREAM) {
      documents.push(...events.map((event) => ({ ...event, at })));
      continue;
    }
    const counter = await database.streamCounters.findOneAndUpdate(
      { _id: stream },
      { $inc: { seq: events.length } },
      { session, upsert: true, returnDocument: "after" },
    );
    const first = counter.seq - events.length + 1;
    documents.push(...events.map((event, index) => ({ ...event, seq: first + index, at })));
  }
  if (documents.length > 0) await database.events.insertMany(documents, { session });
}

function groupByStream(told: ToldEvent[]): Map<string, ToldEvent[]> {
  const groups = new Map<string, ToldEvent[]>();
  for (const event of told) {
    const group = groups.get(event.stream);
    if (group) group.push(event);
    else groups.set(event.stream, [event]);
  }
  return groups;
}

async function withLock<Result>(
  on: { database: Database; key: string },
  run: () => Promise<Result>,
): Promise<Result> {
  const locks = locksByDatabase.get(on.database) ?? new Map<string, Mutex>();
  locksByDatabase.set(on.database, locks);
  const lock = locks.get(on.key) ?? new Mutex();
  locks.set(on.key, lock);
  try {
    return await lock.runExclusive(run);
  } finally {
    if (!lock.isLocked()) locks.delete(on.key);
  }
}
