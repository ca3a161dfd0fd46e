import type { Database } from "@shared/node/database.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { WatchedSignal } from "./watched-signal.ts";

/**
 * Writes down, and tells its trader, that the price has left a signal's entry zone. It is told once: of two that find
 * out at the same time, one changes nothing.
 * @returns whether it was news
 */
export async function tellEntryLeft(
  database: Database,
  signal: Pick<WatchedSignal, "_id" | "userId">,
  entryLeft: { price: number; at: Date },
): Promise<boolean> {
  const stream = userStream(signal.userId);
  return commit(database, { lockKeys: stream }, async ({ session, addEvent }) => {
    const { matchedCount } = await database.signals.updateOne(
      { _id: signal._id, entryLeft: { $exists: false }, outcome: { $exists: false } },
      { $set: { entryLeft } },
      { session },
    );
    if (matchedCount === 0) return false;
    const { price, at } = entryLeft;
    addEvent(stream, "signal:entry-left", {
      signal_id: signal._id.toString(),
      price,
      at: at.toISOString(),
    });
    return true;
  });
}
