import type { EventName } from "@shared/contract/events.ts";
import type { ClientSession } from "mongoose";
import type { Database } from "./database.ts";
import type { StreamHeadRecord } from "./models/event.ts";
import { nativeCollection } from "./native-collection.ts";

/** What a change adds to a stream. */
export interface Advance {
  /** Numbers to take, at least one. */
  events: number;
  /** More unfinished signals of the stream's user; below 0: fewer. */
  unfinished: number;
}

/** What an event says of the number of unfinished signals of the user in whose stream it is told. */
const UNFINISHED_BY_EVENT: Partial<Record<EventName, number>> = {
  "signal:queued": 1,
  "signal:completed": -1,
  "signal:failed": -1,
};
const unfinishedByName = new Map(Object.entries(UNFINISHED_BY_EVENT));

/** How many more signals are unfinished after an event of this name. */
export const unfinishedBy = (eventName: string): number => unfinishedByName.get(eventName) ?? 0;

/** Where a stream stands. */
export interface StreamHead {
  /** The last number taken. */
  seq: number;
  /** Signals of the stream's user that are queued or running. */
  unfinished: number;
}

/**
 * Takes the next numbers of some streams.
 * @returns where each stream stands then
 */
export async function advanceHeads(
  database: Database,
  session: ClientSession,
  advances: ReadonlyMap<string, Advance>,
): Promise<Map<string, StreamHead>> {
  const [first, ...others] = advances;
  if (!first) return new Map();
  const heads =
    others.length > 0
      ? await advanceMany(database, session, advances)
      : await advanceOne(database, session, first);
  return new Map(heads.map(({ _id, head, unfinished = 0 }) => [_id, { seq: head, unfinished }]));
}

async function advanceOne(
  database: Database,
  session: ClientSession,
  [stream, advance]: [string, Advance],
): Promise<StreamHeadRecord[]> {
  const head = await nativeCollection(database.streamHeads).findOneAndUpdate(
    { _id: stream },
    { $inc: increment(advance) },
    { session, upsert: true, returnDocument: "after" },
  );
  return head ? [head] : [];
}

/** The same in two commands, however many streams there are. */
async function advanceMany(
  database: Database,
  session: ClientSession,
  advances: ReadonlyMap<string, Advance>,
): Promise<StreamHeadRecord[]> {
  const writes = [...advances].map(([stream, advance]) => ({
    updateOne: { filter: { _id: stream }, update: { $inc: increment(advance) }, upsert: true },
  }));
  const all = nativeCollection(database.streamHeads);
  await all.bulkWrite(writes, { session, ordered: false });
  return all.find({ _id: { $in: [...advances.keys()] } }, { session }).toArray();
}

/** What is added to the counts of a stream's head. */
export const increment = ({
  events,
  unfinished,
}: Advance): Pick<StreamHeadRecord, "head" | "unfinished"> => ({
  head: events,
  ...(unfinished !== 0 && { unfinished }),
});

/** The last number of each stream, in the order asked; 0 where nothing was told yet. */
export async function readHeads(database: Database, streams: readonly string[]): Promise<number[]> {
  const heads = await database.streamHeads.find({ _id: { $in: [...streams] } }).lean();
  const seqByStream = new Map(heads.map(({ _id, head }) => [_id, head]));
  return streams.map((stream) => seqByStream.get(stream) ?? 0);
}
