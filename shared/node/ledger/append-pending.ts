import { commit } from "@shared/outbox/commit.ts";
import type { Database } from "../database.ts";
import { holdChain } from "./ledger-chain.ts";
import { findUnrecordedOutcomes, recordOutcomes } from "./record-outcomes.ts";
import { findUnrecordedSignals, recordSignals } from "./record-signals.ts";
import { findUnburied, recordTombstone } from "./record-tombstone.ts";

/** Appenders of one process wait for each other; those of several processes collide on the chain's head. */
const SERIALIZE_ON = "ledger";

/**
 * Appends what the ledger does not hold yet to its chain, in one transaction: completed signals in the order in which
 * they were finished, outcomes, and a tombstone for histories that were cleared. Long queues take several calls.
 *
 * It may run anywhere, at any time, several times at once. The transactions that finish signals never touch the chain:
 * all of them would have to wait for each other there.
 * @returns how many records were appended; 0 when none is waiting
 * @throws AppError `unavailable` when others kept hold of the chain for too long
 */
export function appendPending(options: { database: Database; now: () => Date }): Promise<number> {
  const { database, now } = options;
  return commit(database, { lockKeys: SERIALIZE_ON, now }, async (uow) => {
    const { session } = uow;
    const signals = await findUnrecordedSignals(database, session);
    const outcomes = await findUnrecordedOutcomes(database, session);
    const unburied = await findUnburied(database, session);
    const isIdle = signals.length + outcomes.length + unburied.length === 0;
    if (isIdle) return 0;
    const chain = await holdChain(database, uow);
    const on = { database, session, chain };
    await recordSignals(on, signals);
    await recordOutcomes(on, outcomes);
    await recordTombstone(on, unburied);
    return chain.write();
  });
}
