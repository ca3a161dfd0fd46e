import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { QueryFilter, Types } from "mongoose";

const BATCH_SIZE = 200;

interface SignalChange {
  /** Must not match changed signals. */
  filter: QueryFilter<SignalRecord>;
  set: Partial<SignalRecord>;
  announce(uow: UnitOfWork, signal: Pick<SignalRecord, "_id" | "userId">): void;
}

/**
 * Changes the signals of a trade in batches, with an event for each user. Call it again after a crash.
 * @returns the number of changed signals
 */
export async function updateTradeSignals(
  database: Database,
  analysisId: Types.ObjectId,
  change: SignalChange,
): Promise<number> {
  const filter: QueryFilter<SignalRecord> = {
    ...{ analysisId, status: "completed", "analysis.final_signal": { $ne: "WAIT" } },
    ...change.filter,
  };
  let total = 0;
  while (await database.signals.exists(filter)) {
    total += await commit(database, { lockKeys: `analysis:${analysisId}` }, async (uow) => {
      const { session } = uow;
      const signals = await database.signals
        .find(filter)
        .select({ userId: 1 })
        .limit(BATCH_SIZE)
        .session(session)
        .lean();
      const ids = { $in: signals.map(({ _id }) => _id) };
      await database.signals.updateMany({ _id: ids }, { $set: change.set }, { session });
      for (const signal of signals) change.announce(uow, signal);
      return signals.length;
    });
  }
  return total;
}
