import { type ClientSession, Types } from "mongoose";
import { AppError } from "./app-error.ts";
import { writeAuditEntries } from "./audit-trail.ts";
import type { Database } from "./database.ts";
import { insertTogether } from "./insert-together.ts";
import { knownHeads } from "./known-heads.ts";
import type { EventRecord } from "./models/event.ts";
import { type Advance, advanceHeads, type StreamHead, unfinishedBy } from "./stream-heads.ts";
import { CONTROL_STREAM, userIdOf } from "./streams.ts";
import type { Insert, ToldChange } from "./told-change.ts";
import { writeAhead } from "./write-ahead.ts";

const NOTHING_TOLD: StreamHead = { seq: 0, unfinished: 0 };

/**
 * Puts down what the changes of one transaction tell, as its last writes: the numbers first, as some documents hang on
 * them, then all documents with one command for each collection.
 * @returns to be called once it is committed
 * @throws AppError `unauthenticated` when it tells something to a user who has been deleted; `CollisionError` when a
 *   stream was not where it was known to be; what a document's maker throws
 */
export async function writeDown(
  database: Database,
  session: ClientSession,
  changes: readonly ToldChange[],
): Promise<() => void> {
  const advances = advancesOf(changes);
  const known = knownHeads(database).take(advances);
  const before = known ?? (await takeNumbers(database, session, advances));
  const heads = new Map(before);
  const documents = changes.map((change) => documentsOf(change, heads));
  const inserts = documents.flatMap((document) => document.inserts);
  const events = documents.flatMap((document) => document.events);
  if (known) await writeAhead(database, session, { advances, known, events });
  const { collectionName: into } = database.events.collection;
  const left = known ? [] : events.map((document) => ({ into, document }));
  await insertTogether(database, session, [...inserts, ...left]);
  for (const { actor, at, remarks, events } of changes) {
    if (actor === undefined) continue;
    const audited = events.map((event) => ({ ...event, userId: userIdOf(event.stream) }));
    await writeAuditEntries(database, session, { actor, at, remarks, events: audited });
  }
  return () => {
    for (const [stream, head] of heads) {
      if (userIdOf(stream) !== undefined) knownHeads(database).learn(stream, head);
    }
  };
}

/** @returns where the streams stood before */
async function takeNumbers(
  database: Database,
  session: ClientSession,
  advances: Map<string, Advance>,
): Promise<Map<string, StreamHead>> {
  const heads = await advanceHeads(database, session, advances);
  await assertUsersExist(database, session, { advances, heads });
  const befores = new Map<string, StreamHead>();
  for (const [stream, { events, unfinished }] of advances) {
    const head = heads.get(stream) ?? NOTHING_TOLD;
    befores.set(stream, { seq: head.seq - events, unfinished: head.unfinished - unfinished });
  }
  return befores;
}

function advancesOf(changes: readonly ToldChange[]): Map<string, Advance> {
  const advances = new Map<string, Advance>();
  for (const event of changes.flatMap(({ events }) => events)) {
    const { events, unfinished } = advances.get(event.stream) ?? { events: 0, unfinished: 0 };
    advances.set(event.stream, {
      events: events + 1,
      unfinished: unfinished + unfinishedBy(event.name),
    });
  }
  return advances;
}

/** @param heads where the streams stand without this change; they are moved on to where they stand with it */
function documentsOf(
  change: ToldChange,
  heads: Map<string, StreamHead>,
): { inserts: Insert[]; events: EventRecord[] } {
  const { at, actor, requestId, orders } = change;
  const inserts = change.inserts.map((insert) => {
    if ("document" in insert) return insert;
    const { into, stream, make } = insert;
    const { seq, unfinished } = heads.get(stream) ?? NOTHING_TOLD;
    const told = change.events.filter((event) => event.stream === stream).length;
    return { into, document: make({ ahead: Math.max(0, unfinished), seq: seq + told }) };
  });
  const origin = { at, ...(requestId && { requestId }), ...(actor && { actor }) };
  const events = change.events.map((event): EventRecord => {
    const before = heads.get(event.stream) ?? NOTHING_TOLD;
    const seq = before.seq + 1;
    heads.set(event.stream, { seq, unfinished: before.unfinished + unfinishedBy(event.name) });
    return { _id: new Types.ObjectId(), ...event, ...origin, seq };
  });
  const unnumbered = orders.map(
    (order): EventRecord => ({ ...order, _id: new Types.ObjectId(), stream: CONTROL_STREAM, at }),
  );
  return { inserts, events: [...unnumbered, ...events] };
}

/**
 * The head of a user's stream goes when he is deleted: whatever still tells him something then begins a new one, which
 * is refused here. So nothing that was under way brings anything of his back.
 */
async function assertUsersExist(
  database: Database,
  session: ClientSession,
  { advances, heads }: { advances: Map<string, Advance>; heads: Map<string, StreamHead> },
): Promise<void> {
  const begun = [...advances].filter(([stream, { events }]) => heads.get(stream)?.seq === events);
  const userIds = begun.flatMap(([stream]) => userIdOf(stream) ?? []);
  if (userIds.length === 0) return;
  const found = await database.users.countDocuments({ _id: { $in: userIds } }).session(session);
  if (found < userIds.length) {
    throw new AppError("unauthenticated", "This account no longer exists.");
  }
}
