import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import type { Change } from "../event-log.ts";

/** Removes signals of one user with all that hangs on them: their candles and the keys that stand for them. */
export async function removeSignals(
  database: Database,
  { session }: Pick<Change, "session">,
  { userId, signalIds }: { userId: Types.ObjectId; signalIds: readonly Types.ObjectId[] },
): Promise<void> {
  const ids = { $in: [...signalIds] };
  await database.signals.deleteMany({ _id: ids, userId }, { session });
  await database.signalCandles.deleteMany({ _id: ids }, { session });
  await database.idempotencyKeys.deleteMany(
    { _id: { $regex: `^${userId}:` }, signalId: ids },
    { session },
  );
}
