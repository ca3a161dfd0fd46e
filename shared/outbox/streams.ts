import { type Database, nativeCollection, runWriteCommand } from "@shared/database/database.ts";
import {
  USER_COUNTERS,
  type UserCounts,
  type UserRecord,
  ZERO_COUNTS,
} from "@shared/database/models/user.ts";
import type { ClientSession } from "mongoose";
import { Types } from "mongoose";

/** The stream that all administrators share. */
export const ADMINS_STREAM = "admins";

/** Instructions to the servers, such as closing a user's sockets. They have no sequence numbers. */
export const CONTROL_STREAM = "control";

/** Events of several users, who have them in their own streams. */
export const SEVERAL_STREAMS = "several";

const USER_PREFIX = "user:";

export const userStream = (userId: { toString(): string }): string => `${USER_PREFIX}${userId}`;

/** Id of the user whose stream it is; undefined for a stream of several users. */
export const userIdOf = (stream: string): string | undefined =>
  stream.startsWith(USER_PREFIX) ? stream.slice(USER_PREFIX.length) : undefined;

export interface StreamAppend {
  events: number;
  /** Changes of the counters of the stream's user. */
  counts: UserCounts;
}

export interface StreamPosition {
  /** The last sequence number; 0 before the first event. */
  seq: number;
  /** Of the stream's user; 0 for a stream of several users. */
  counts: UserCounts;
}

type Appends = readonly (readonly [stream: string, StreamAppend])[];
type Positions = [stream: string, StreamPosition][];

/**
 * Reserves the next sequence numbers of the streams in a transaction. Two transactions that reserve numbers of the same
 * stream conflict, and one is retried: numbers have no gaps and are never used twice. The last number of a user's stream
 * is on the user, so no event can be added for a deleted user.
 * @returns the positions before; that of a deleted user's stream is missing
 */
export async function reserveSequenceNumbers(
  database: Database,
  session: ClientSession,
  appends: ReadonlyMap<string, StreamAppend>,
): Promise<Map<string, StreamPosition>> {
  const ofUsers = [...appends].filter(([stream]) => userIdOf(stream) !== undefined);
  const shared = [...appends].filter(([stream]) => userIdOf(stream) === undefined);
  const after = [
    ...(await advanceUserStreams(database, session, ofUsers)),
    ...(await advanceSharedStreams(database, session, shared)),
  ];
  return new Map(
    after.map(([stream, { seq, counts }]) => {
      const { events, counts: added } = appends.get(stream) ?? NO_APPEND;
      return [stream, { seq: seq - events, counts: addCounts(counts, added, -1) }];
    }),
  );
}

export const NO_APPEND: StreamAppend = { events: 0, counts: ZERO_COUNTS };

export function addCounts(counts: UserCounts, added: UserCounts, factor: 1 | -1 = 1): UserCounts {
  const sum = { ...counts };
  for (const counter of USER_COUNTERS) sum[counter] += factor * added[counter];
  return sum;
}

const POSITION_FIELDS = ["lastEventSeq", ...USER_COUNTERS];
const PROJECTION = Object.fromEntries(POSITION_FIELDS.map((field) => [field, 1]));

/** @returns the positions after it */
async function advanceUserStreams(
  database: Database,
  session: ClientSession,
  appends: Appends,
): Promise<Positions> {
  const users = nativeCollection(database.users);
  const ids = appends.map(([stream]) => userObjectId(stream));
  const updates = updatesOf(appends);
  const [first] = updates;
  if (!first) return [];
  if (ids.length === 1) {
    // One command instead of two, in each of the three transactions of a signal.
    const options = { session, projection: PROJECTION, returnDocument: "after" } as const;
    const user = await users.findOneAndUpdate(first.q, first.u, options);
    return user ? [positionOf(user)] : [];
  }
  await runWriteCommand(database, session, { update: users.collectionName, updates });
  // All in one reply.
  const options = { session, projection: PROJECTION, batchSize: ids.length + 1 } as const;
  const found = await users.find({ _id: { $in: ids } }, options).toArray();
  return found.map(positionOf);
}

/** One update for all users with the same change: a fan-out has hundreds. */
function updatesOf(appends: Appends) {
  const groups = new Map<string, { append: StreamAppend; ids: Types.ObjectId[] }>();
  for (const [stream, append] of appends) {
    const key = JSON.stringify(append);
    const group = groups.get(key) ?? { append, ids: [] };
    group.ids.push(userObjectId(stream));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ append: { events, counts }, ids }) => ({
    q: { _id: { $in: ids } },
    u: { $inc: { lastEventSeq: events, ...counts } },
    multi: true,
  }));
}

const positionOf = ({
  _id,
  lastEventSeq: seq,
  ...counts
}: UserCounts & Pick<UserRecord, "_id" | "lastEventSeq">): Positions[number] => [
  userStream(_id),
  { seq, counts },
];

async function advanceSharedStreams(
  database: Database,
  session: ClientSession,
  appends: Appends,
): Promise<Positions> {
  if (appends.length === 0) return [];
  const heads = nativeCollection(database.streamHeads);
  const updates = appends.map(([stream, { events }]) => ({
    q: { _id: stream },
    u: { $inc: { seq: events } },
    upsert: true,
  }));
  await runWriteCommand(database, session, { update: heads.collectionName, updates });
  const streams = appends.map(([stream]) => stream);
  const found = await heads.find({ _id: { $in: streams } }, { session }).toArray();
  return found.map(({ _id, seq }) => [_id, { seq, counts: ZERO_COUNTS }]);
}

/** The last sequence number of a stream; 0 before the first event. */
export async function readStreamHead(database: Database, stream: string): Promise<number> {
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

const userObjectId = (stream: string) => new Types.ObjectId(userIdOf(stream));
