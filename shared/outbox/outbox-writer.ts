import type { EventName } from "@shared/contract/events.ts";
import { type Database, runWriteCommand } from "@shared/database/database.ts";
import type { AuditDetails, EventRecord } from "@shared/database/models/event.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type ClientSession, Types } from "mongoose";
import { z } from "zod";
import {
  CONTROL_STREAM,
  reserveSequenceNumbers,
  type StreamAppend,
  type StreamPosition,
  userIdOf,
  userStream,
} from "./streams.ts";

/** Writes of a unit of work that are made at the end of its transaction. */
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

/** A document and the name of its collection. */
interface Insert {
  collection: string;
  document: object;
}

/** A document that depends on how many other unfinished signals its user has. */
interface PositionedInsert {
  collection: string;
  userId: Types.ObjectId;
  make: (position: { unfinishedSignals: number }) => object;
}

/** An event without a sequence number. */
interface NewEvent {
  stream: string;
  name: EventName;
  data: unknown;
  requestId?: string | undefined;
}

/** One unit of a transaction, at `index`, cannot be committed, because of `cause`. */
export class UnitRejectedError extends Error {
  override readonly name = "UnitRejectedError";
  readonly index: number;

  constructor(message: string, { cause, index }: { cause: unknown; index: number }) {
    super(message, { cause });
    this.index = index;
  }
}

/**
 * Writes the outbox events, deferred inserts and audit entries of a transaction. Must be the last writes in it, because the
 * streams stay locked until the commit.
 * @throws UnitRejectedError for a unit that adds events for a deleted user, or whose deferred insert throws
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
      throw new UnitRejectedError("A unit of work was rejected.", { cause: error, index });
    }
  });
  await insertAll(database, session, inserts);
  for (const unit of units) await writeAuditEntries(database, session, unit);
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

/** @param positions of the streams before this unit; changed to those after it */
function documentsOf(
  database: Database,
  unit: PendingWrites,
  positions: ReadonlyMap<string, StreamPosition>,
): Insert[] {
  const { at, actor, requestId } = unit;
  const positionOf = (stream: string): StreamPosition => {
    const position = positions.get(stream);
    if (!position) throw new AppError("unauthenticated", "This account no longer exists.");
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

/** One command for each collection. */
async function insertAll(
  database: Database,
  session: ClientSession,
  inserts: readonly Insert[],
): Promise<void> {
  for (const insert of new Set(inserts.map(({ collection }) => collection))) {
    const documents = inserts.flatMap(({ collection, document }) =>
      collection === insert ? [document] : [],
    );
    await runWriteCommand(database, session, { insert, documents });
  }
}

/** It repeats an event of the user's own stream for the administrators. */
const REPEATED_EVENT: EventName = "user:updated";

/** Fields of the data of an event that the audit trail keeps. */
const AUDITED_FIELDS: Partial<Record<EventName, readonly string[]>> = {
  "account:updated": ["reason", "approved", "allow_image_upload", "image_credits"],
  "chart-image:deleted": ["filename"],
  "queue:changed": ["action", "jobs", "names"],
};

const namedSchema = z.object({ username: z.string() });
const fieldsSchema = z.record(z.string(), z.unknown());
const detailSchema = z.union([z.string(), z.number(), z.boolean()]);

/** Writes one audit entry for each event of an administrator's action. */
async function writeAuditEntries(
  database: Database,
  session: ClientSession,
  { actor, at, auditDetails, ...unit }: PendingWrites,
): Promise<void> {
  const events = unit.events.filter(({ name }) => name !== REPEATED_EVENT);
  if (actor === undefined || events.length === 0) return;
  const users = await database.users
    .find({ _id: { $in: events.flatMap(({ stream }) => userIdOf(stream) ?? []) } })
    .select({ username: 1 })
    .session(session)
    .lean();
  const nameByStream = new Map(users.map(({ _id, username }) => [userStream(_id), username]));
  const entries = events.map(({ stream, name, data }) => ({
    actor,
    action: name,
    subject: nameByStream.get(stream) ?? namedSchema.safeParse(data).data?.username ?? null,
    details: { ...auditedFields(name, data), ...auditDetails },
    at,
  }));
  await database.auditEntries.insertMany(entries, { session });
}

function auditedFields(name: EventName, data: unknown): AuditDetails {
  const fields = fieldsSchema.parse(data);
  const names = AUDITED_FIELDS[name] ?? [];
  return Object.fromEntries(names.map((field) => [field, detailSchema.parse(fields[field])]));
}
