import type { ClientSession } from "mongoose";
import { z } from "zod";
import type { Database } from "./database.ts";
import type { EventRecord } from "./models/event.ts";
import { nativeDb } from "./native-collection.ts";
import { type Advance, increment, type StreamHead } from "./stream-heads.ts";
import { CollisionError } from "./transaction.ts";

/** `n`: documents found or added. */
const replySchema = z.object({ n: z.number(), nModified: z.number() });

/**
 * Adds events whose numbers were taken ahead, and moves their streams on, if these are where they are known to be: one
 * command, where to ask for the numbers would be a second one.
 * @throws CollisionError when one of the streams is elsewhere
 */
export async function writeAhead(
  database: Database,
  session: ClientSession,
  writes: {
    advances: ReadonlyMap<string, Advance>;
    known: ReadonlyMap<string, StreamHead>;
    events: readonly EventRecord[];
  },
): Promise<void> {
  const { advances, known, events } = writes;
  const moves = [...advances].map(([stream, advance]) => ({
    q: { _id: stream, head: known.get(stream)?.seq },
    u: { $inc: increment(advance) },
  }));
  const additions = events.map(({ _id, ...event }) => ({ q: { _id }, u: event, upsert: true }));
  const command = {
    update: database.events.collection.collectionName,
    updates: [...moves, ...additions],
  };
  const options = { session, ignoreUndefined: true };
  const reply = await nativeDb(database.connection).command(command, options);
  const { n, nModified } = replySchema.parse(reply);
  const isAsKnown = nModified === moves.length && n === moves.length + additions.length;
  if (!isAsKnown) throw new CollisionError();
}
