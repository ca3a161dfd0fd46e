import type { EventName } from "@shared/contract/events.ts";
import { type Database, runWriteCommand } from "@shared/database/database.ts";
import type { EventRecord } from "@shared/database/models/event.ts";
import type { SecurityLogRecord } from "@shared/database/models/security-log.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type ClientSession, Types } from "mongoose";
import { splitCommonPart } from "./common-part.ts";
import type { RequestOrigin } from "./security-log.ts";
import {
  CONTROL_STREAM,
  reserveSequenceNumbers,
  SEVERAL_STREAMS,
  type StreamAppend,
  type StreamPosition,
  userStream,
} from "./streams.ts";

export interface PendingWrites {
  at: Date;
  actor: string | undefined;
  requestId: string | undefined;
  origin: RequestOrigin | undefined;
  inserts: (Insert | PositionedInsert)[];
  events: NewEvent[];
  /** Instructions to the servers, such as ending sessions. */
  instructions: { name: string; data: unknown }[];
  /** Changes of the number of unfinished signals, by user stream. */
  unfinishedSignals: Map<string, number>;
  logEntries: SecurityLogRecord[];
}

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

interface NewEvent {
  name: EventName;
  recipients: readonly { stream: string; data: unknown }[];
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
 * Writes the outbox events, deferred inserts and entries of the security log of a transaction. Must be the last writes in it, because the
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
    for (const { recipients } of unit.events) {
      for (const { stream } of recipients) add(stream, 1, 0);
    }
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
  const events = unit.events.map(({ recipients, ...event }): EventRecord => {
    const numbered = recipients.map(({ stream, data }) => {
      const position = positionOf(stream);
      position.seq += 1;
      return { stream, seq: position.seq, data };
    });
    return { ...origin, ...event, _id: new Types.ObjectId(), ...storedRecipients(numbered) };
  });
  const instructions = unit.instructions.map(
    (instruction): EventRecord => ({
      _id: new Types.ObjectId(),
      stream: CONTROL_STREAM,
      at,
      ...instruction,
    }),
  );
  return [
    ...inserts,
    ...insertsInto(database.events, [...instructions, ...events]),
    ...insertsInto(database.securityLog, unit.logEntries),
  ];
}

/** An event of one stream is stored as it is, one of several in parts. */
function storedRecipients(
  recipients: readonly { stream: string; seq: number; data: unknown }[],
): Pick<EventRecord, "stream" | "seq" | "data" | "recipients"> {
  const [only, ...others] = recipients;
  if (only && others.length === 0) return only;
  const { common, own } = splitCommonPart(recipients.map(({ data }) => data));
  return {
    stream: SEVERAL_STREAMS,
    data: common,
    recipients: recipients.map(({ stream, seq }, index) => ({ stream, seq, data: own[index] })),
  };
}

const insertsInto = (
  { collection }: { collection: { collectionName: string } },
  documents: readonly object[],
): Insert[] => documents.map((document) => ({ collection: collection.collectionName, document }));

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
