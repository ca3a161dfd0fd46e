import type { EventName } from "@shared/contract/events.ts";
import { type Database, nativeDb } from "@shared/database/database.ts";
import type { AuditDetails, EventRecord } from "@shared/database/models/event.ts";
import { type ClientSession, Types } from "mongoose";
import { z } from "zod";
import { RejectedWritesError } from "./group-commit.ts";
import {
  CONTROL_STREAM,
  deletedUser,
  reserveSequenceNumbers,
  type StreamAppend,
  type StreamPosition,
  userIdOf,
  userStream,
} from "./streams.ts";

/** A document and the name of its collection. */
interface Insert {
  collection: string;
  document: object;
}

/** A document that depends on how many unfinished signals its user has without it. */
interface PositionedInsert {
  collection: string;
  userId: Types.ObjectId;
  make: (position: { unfinishedSignals: number }) => object;
}

/** An event that has no sequence number yet. */
interface NewEvent {
  stream: string;
  name: EventName;
  data: unknown;
  requestId?: string | undefined;
}

/** What a unit of work writes at the end of its transaction. */
export interface PendingWrites {
  at: Date;
  actor: string | undefined;
  requestId: string | undefined;
  inserts: (Insert | PositionedInsert)[];
  events: NewEvent[];
  /** Instructions to the servers, such as ending sessions. */
  instructions: { name: string; data: unknown }[];
  /** Changes of the number of unfinished signals, by user stream. */
  unfinishedSignals: Map<string, number>;
  auditDetails: AuditDetails;
}

/**
 * Writes events, deferred documents and audit entries of all units of work of a transaction, as its last writes: first
 * the sequence numbers, then all documents with one command for each collection.
 * @throws RejectedWritesError for a unit that adds events for a deleted user, or whose positioned insert throws
 */
export async function writeOutbox(
  database: Database,
  session: ClientSession,
  units: readonly PendingWrites[],
): Promise<void> {
  const positions = await reserveSequenceNumbers(database, session, appendsOf(units));
  const inserts = units.flatMap((unit, index) => {
    try {
      return documentsOf(database, unit, positions);
    } catch (error) {
      throw new RejectedWritesError("A unit of work was rejected.", { cause: error, index });
    }
  });
  await insertAll(database, session, inserts);
  for (const { actor, at, auditDetails, events } of units) {
    if (actor === undefined) continue;
    const audited = events.map((event) => ({ ...event, userId: userIdOf(event.stream) }));
    await writeAuditEntries(database, session, { actor, at, auditDetails, events: audited });
  }
}

function appendsOf(units: readonly PendingWrites[]): Map<string, StreamAppend> {
  const appends = new Map<string, StreamAppend>();
  const add = (stream: string, events: number, unfinishedSignals: number) => {
    const append = appends.get(stream) ?? { events: 0, unfinishedSignals: 0 };
    append.events += events;
    append.unfinishedSignals += unfinishedSignals;
    appends.set(stream, append);
  };
  for (const unit of units) {
    for (const { stream } of unit.events) add(stream, 1, 0);
    for (const [stream, change] of unit.unfinishedSignals) add(stream, 0, change);
  }
  return appends;
}

/** @param positions where the streams stand without this unit; moved on to where they stand with it */
function documentsOf(
  database: Database,
  unit: PendingWrites,
  positions: Map<string, StreamPosition>,
): Insert[] {
  const { at, actor, requestId } = unit;
  const positionOf = (stream: string): StreamPosition => {
    const position = positions.get(stream);
    if (!position) throw deletedUser();
    return position;
  };
  const inserts = unit.inserts.map((insert): Insert => {
    if ("document" in insert) return insert;
    const { collection, userId, make } = insert;
    return { collection, document: make(positionOf(userStream(userId))) };
  });
  for (const [stream, change] of unit.unfinishedSignals) {
    positionOf(stream).unfinishedSignals += change;
  }
  const origin = { at, ...(requestId && { requestId }), ...(actor && { actor }) };
  const events = unit.events.map((event): EventRecord => {
    const position = positionOf(event.stream);
    position.seq += 1;
    return { ...origin, ...event, _id: new Types.ObjectId(), seq: position.seq };
  });
  const instructions = unit.instructions.map(
    (instruction): EventRecord => ({
      ...{ _id: new Types.ObjectId(), stream: CONTROL_STREAM, at },
      ...instruction,
    }),
  );
  const { collectionName: collection } = database.events.collection;
  const logged = [...instructions, ...events].map((document) => ({ collection, document }));
  return [...inserts, ...logged];
}

const replySchema = z.object({
  writeErrors: z.array(z.object({ errmsg: z.string() })).default([]),
});

/** One command for each collection; the driver's bulk writes cost several times as much for few documents. */
async function insertAll(
  { connection }: Database,
  session: ClientSession,
  inserts: readonly Insert[],
): Promise<void> {
  const options = { session, ignoreUndefined: true };
  for (const insert of new Set(inserts.map(({ collection }) => collection))) {
    const documents = inserts.flatMap(({ collection, document }) =>
      collection === insert ? [document] : [],
    );
    const reply = await nativeDb(connection).command({ insert, documents }, options);
    const [error] = replySchema.parse(reply).writeErrors;
    if (error) throw new Error(`A document could not be inserted: ${error.errmsg}`);
  }
}

/** An event as the audit trail reads it. */
interface AuditableEvent {
  name: EventName;
  data: unknown;
  /** The user of its stream; undefined for the stream of the admins. */
  userId?: string;
}

/** Informs the admins of what an event of the user's own stream says already: it would be a second entry. */
const REPEATED_EVENT: EventName = "user:updated";

/** Fields of an event's data that the trail keeps. */
const KEPT_FIELDS: Partial<Record<EventName, readonly string[]>> = {
  "account:updated": ["reason", "approved", "allow_image_upload", "image_credits"],
  "chart-image:deleted": ["filename"],
  "queue:changed": ["action", "jobs", "names"],
};

const namedSchema = z.object({ username: z.string() });
const fieldsSchema = z.record(z.string(), z.unknown());
const detailSchema = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Writes what an administrator did, in the transaction that does it: one entry for each of its events.
 * @param trail.auditDetails facts that the events do not contain
 */
async function writeAuditEntries(
  database: Database,
  session: ClientSession,
  trail: { actor: string; at: Date; events: readonly AuditableEvent[]; auditDetails: AuditDetails },
): Promise<void> {
  const { actor, at, auditDetails } = trail;
  const events = trail.events.filter((event) => event.name !== REPEATED_EVENT);
  if (events.length === 0) return;
  const nameById = await findUsernames(database, session, events);
  const entries = events.map(({ name, data, userId }) => ({
    actor,
    action: name,
    subject: nameById.get(userId) ?? namedSchema.safeParse(data).data?.username ?? null,
    details: { ...keptDetails(name, data), ...auditDetails },
    at,
  }));
  await database.auditEntries.insertMany(entries, { session });
}

async function findUsernames(
  database: Database,
  session: ClientSession,
  events: readonly AuditableEvent[],
): Promise<Map<string | undefined, string>> {
  const ids = events.flatMap(({ userId }) => userId ?? []);
  const users = await database.users
    .find({ _id: { $in: ids } })
    .select({ username: 1 })
    .session(session)
    .lean();
  return new Map(users.map((user) => [user._id.toString(), user.username]));
}

function keptDetails(name: EventName, data: unknown): AuditDetails {
  const fields = fieldsSchema.parse(data);
  const kept = (KEPT_FIELDS[name] ?? []).map((field) => [field, detailSchema.parse(fields[field])]);
  return Object.fromEntries(kept);
}
