import { type Database, nativeCollection } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ClientSession } from "mongoose";
import mongoose from "mongoose";

/** The stream that all admins share. */
export const ADMINS_STREAM = "admins";

/** Instructions to the servers themselves, such as closing a user's sockets; they have no sequence numbers. */
export const CONTROL_STREAM = "control";

const USER_PREFIX = "user:";

/** Name of a user's own stream. */
export const userStream = (userId: { toString(): string }): string => `${USER_PREFIX}${userId}`;

/** Id of the user whose stream it is; undefined for a stream of several users. */
export const userIdOf = (stream: string): string | undefined =>
  stream.startsWith(USER_PREFIX) ? stream.slice(USER_PREFIX.length) : undefined;

/** What a unit of work adds to a stream. */
export interface StreamAppend {
  events: number;
  /** Change of the number of unfinished signals of the stream's user. */
  unfinishedSignals: number;
}

/** Where a stream stands. */
export interface StreamPosition {
  /** The last sequence number; 0 before the first event. */
  seq: number;
  /** Queued and running signals of the stream's user; 0 for a stream of several users. */
  unfinishedSignals: number;
}

/**
 * Reserves the next sequence numbers of some streams, under the caller's transaction. A user's stream is numbered on the
 * user's own document, so no event can be added for a user who is being deleted. Two transactions that reserve numbers
 * of the same stream conflict, and one of them is retried: numbers have no gaps and are never used twice.
 * @returns where each stream stood before; a user's stream is missing if the user does not exist
 */
export async function reserveSequenceNumbers(
  database: Database,
  session: ClientSession,
  appends: ReadonlyMap<string, StreamAppend>,
): Promise<Map<string, StreamPosition>> {
  const after = new Map<string, StreamPosition>();
  const ofUsers = [...appends].filter(([stream]) => userIdOf(stream) !== undefined);
  const shared = [...appends].filter(([stream]) => userIdOf(stream) === undefined);
  if (ofUsers.length > 0) await advanceUserStreams(database, session, { appends: ofUsers, after });
  if (shared.length > 0) await advanceSharedStreams(database, session, { appends: shared, after });
  const before = new Map<string, StreamPosition>();
  for (const [stream, { seq, unfinishedSignals }] of after) {
    const append = appends.get(stream);
    if (!append) continue;
    before.set(stream, {
      seq: seq - append.events,
      unfinishedSignals: unfinishedSignals - append.unfinishedSignals,
    });
  }
  return before;
}

interface Advance {
  appends: readonly (readonly [string, StreamAppend])[];
  /** Filled with where the streams stand then. */
  after: Map<string, StreamPosition>;
}

async function advanceUserStreams(
  database: Database,
  session: ClientSession,
  { appends, after }: Advance,
): Promise<void> {
  const users = nativeCollection(database.users);
  const projection = { lastEventSeq: 1, unfinishedSignals: 1 };
  const updates = appends.map(([stream, { events, unfinishedSignals }]) => ({
    filter: { _id: userObjectId(stream) },
    update: { $inc: { lastEventSeq: events, unfinishedSignals } },
  }));
  const [first, ...others] = updates;
  if (first && others.length === 0) {
    // One command instead of two, in each of the three transactions of a signal.
    const options = { session, projection, returnDocument: "after" } as const;
    const user = await users.findOneAndUpdate(first.filter, first.update, options);
    if (user) after.set(userStream(user._id), positionOf(user));
    return;
  }
  await users.bulkWrite(
    updates.map((updateOne) => ({ updateOne })),
    { session, ordered: false },
  );
  const ids = updates.map(({ filter }) => filter._id);
  for await (const user of users.find({ _id: { $in: ids } }, { session, projection })) {
    after.set(userStream(user._id), positionOf(user));
  }
}

const positionOf = (
  user: Pick<UserRecord, "lastEventSeq" | "unfinishedSignals">,
): StreamPosition => ({
  seq: user.lastEventSeq,
  unfinishedSignals: user.unfinishedSignals,
});

async function advanceSharedStreams(
  database: Database,
  session: ClientSession,
  { appends, after }: Advance,
): Promise<void> {
  const heads = nativeCollection(database.streamHeads);
  const updates = appends.map(([stream, { events }]) => ({
    updateOne: { filter: { _id: stream }, update: { $inc: { seq: events } }, upsert: true },
  }));
  await heads.bulkWrite(updates, { session, ordered: false });
  const streams = appends.map(([stream]) => stream);
  for await (const { _id, seq } of heads.find({ _id: { $in: streams } }, { session })) {
    after.set(_id, { seq, unfinishedSignals: 0 });
  }
}

/** The last sequence number of each stream, in the same order; 0 before the first event. */
export function readHeads(database: Database, streams: readonly string[]): Promise<number[]> {
  return Promise.all(streams.map((stream) => readHead(database, stream)));
}

async function readHead(database: Database, stream: string): Promise<number> {
  if (userIdOf(stream) === undefined) {
    const head = await database.streamHeads.findById(stream).lean();
    return head?.seq ?? 0;
  }
  const user = await database.users
    .findById(userObjectId(stream))
    .select({ lastEventSeq: 1 })
    .lean();
  return user?.lastEventSeq ?? 0;
}

const userObjectId = (stream: string) => new mongoose.Types.ObjectId(userIdOf(stream));

/** The error of a unit of work that adds events for a user who has been deleted. */
export const deletedUser = (): AppError =>
  new AppError("unauthenticated", "This account no longer exists.");
