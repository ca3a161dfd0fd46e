import type { ClientSession } from "mongoose";
import type { Database } from "./database.ts";
import { nativeCollection } from "./native-collection.ts";

/**
 * Takes the next numbers of some streams.
 * @param counts how many numbers to take of each stream
 * @returns the last number taken of each
 */
export function advanceCounters(
  database: Database,
  session: ClientSession,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const [first, ...others] = counts;
  if (!first) return Promise.resolve(new Map());
  if (others.length > 0) return advanceMany(database, session, counts);
  return advanceOne(database, session, first);
}

async function advanceOne(
  database: Database,
  session: ClientSession,
  [stream, by]: [string, number],
): Promise<Map<string, number>> {
  const counter = await nativeCollection(database.streamCounters).findOneAndUpdate(
    { _id: stream },
    { $inc: { seq: by } },
    { session, upsert: true, returnDocument: "after" },
  );
  return new Map(counter && [[stream, counter.seq]]);
}

/** The same in two commands, however many streams there are. */
async function advanceMany(
  database: Database,
  session: ClientSession,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const writes = [...counts].map(([stream, by]) => ({
    updateOne: { filter: { _id: stream }, update: { $inc: { seq: by } }, upsert: true },
  }));
  const all = nativeCollection(database.streamCounters);
  await all.bulkWrite(writes, { session, ordered: false });
  const counters = await all.find({ _id: { $in: [...counts.keys()] } }, { session }).toArray();
  return new Map(counters.map((counter) => [counter._id, counter.seq]));
}
