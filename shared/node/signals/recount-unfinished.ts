import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import { commitChange } from "../event-log.ts";
import { UNFINISHED } from "../models/signal.ts";
import { userStream } from "../streams.ts";

/**
 * Counts the unfinished signals of a user anew, should his stream's counter have lost touch with them: a part of an
 * earlier release that works beside this one ends signals without counting.
 * @returns whether the counter was wrong; it is right then
 */
export function recountUnfinished(database: Database, userId: Types.ObjectId): Promise<boolean> {
  const stream = userStream(userId);
  return commitChange(database, { serializeOn: stream }, async ({ session }) => {
    const unfinished = await database.signals.countDocuments(
      { userId, ...UNFINISHED },
      { session },
    );
    const miscounted = { _id: stream, unfinished: { $ne: unfinished } };
    const { modifiedCount } = await database.streamHeads.updateOne(
      miscounted,
      { $set: { unfinished } },
      { session },
    );
    return modifiedCount > 0;
  });
}
