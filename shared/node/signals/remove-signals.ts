import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import { anonymiseSignal } from "../ledger/anonymise-signal.ts";

/**
 * Removes signals of one user with all that hangs on them: their candles and the keys that stand for them. Completed
 * ones stay in the product's record without anything of his: nobody improves that by clearing what went wrong.
 */
export async function removeSignals(
  database: Database,
  { session, at }: Pick<UnitOfWork, "session" | "at">,
  { userId, signalIds }: { userId: Types.ObjectId; signalIds: readonly Types.ObjectId[] },
): Promise<void> {
  const ids = { $in: [...signalIds] };
  const completed = await database.signals
    .find({ _id: ids, userId, status: "completed" })
    .session(session)
    .lean();
  const anonymous = completed.map((signal) => anonymiseSignal(signal, at));
  await database.clearedSignals.insertMany(anonymous, { session });
  await database.signals.deleteMany({ _id: ids, userId }, { session });
  await database.signalCandles.deleteMany({ _id: ids }, { session });
  await database.signalSince.deleteMany({ _id: ids }, { session });
  await database.idempotencyKeys.deleteMany(
    { _id: { $regex: `^${userId}:` }, signalId: ids },
    { session },
  );
}
