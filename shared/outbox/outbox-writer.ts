import type { EventName } from "@shared/contract/events/event-data.ts";
import { type Database, runWriteCommand } from "@shared/database/database.ts";
import type { EventRecord } from "@shared/database/models/event.ts";
import type { SecurityLogRecord } from "@shared/database/models/security-log.ts";
import { type UserCounts, ZERO_COUNTS } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type ClientSession, Types } from "mongoose";
import { splitCommonPart } from "./common-part.ts";
import type { RequestOrigin } from "./security-log.ts";
import {
  addCounts,
  CONTROL_STREAM,
  NO_APPEND,
  reserveSequenceNumbers,
  SEVERAL_STREAMS,
  type StreamAppend,
  type StreamPosition,
} from "./streams.ts";

export interface PendingWrites {
  at: Date;
  actor: string | undefined;
  requestId: string | undefined;
  origin: RequestOrigin | undefined;
  inserts: (Insert | CountedInsert)[];
  events: NewEvent[];
  /** Events without numbers, which only servers read. */
  instructions: { name: string; data: unknown }[];
  counts: { stream: string; change: UserCounts }[];
  logEntries: SecurityLogRecord[];
}

interface Insert {
  collection: string;
  document: object;
}

/** A document that depends on the counters of a user before the unit. */
interface CountedInsert {
  collection: string;
  stream: string;
  make: (counts: UserCounts) => object;
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
  const add = (stream: string, added: Partial<StreamAppend>) => {
    const { events, counts } = appends.get(stream) ?? NO_APPEND;
    appends.set(stream, {
      events: events + (added.events ?? 0),
      counts: addCounts(counts, added.counts ?? ZERO_COUNTS),
    });
  };
  for (const unit of units) {
    for (const { recipients } of unit.events) {
      for (const { stream } of recipients) add(stream, { events: 1 });
    }
    for (const { stream, change } of unit.counts) add(stream, { counts: change });
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
    const { collection, stream, make } = insert;
    return { collection, document: make(positionOf(stream).counts) };
  });
  for (const { stream, change } of unit.counts) {
    const position = positionOf(stream);
    position.counts = addCounts(position.counts, change);
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
