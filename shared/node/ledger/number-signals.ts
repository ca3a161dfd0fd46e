import type { Types } from "mongoose";
import type { SignalRecord } from "../models/signal.ts";
import type { LedgerWrite } from "./ledger-chain.ts";

/** Where a signal may be: with its owner, or among those whose history was cleared. */
export const SIGNAL_COLLECTIONS = ["signals", "clearedSignals"] as const;
export type SignalCollection = (typeof SIGNAL_COLLECTIONS)[number];

/** What is written on a signal when it is recorded. */
export interface SignalNumber {
  from: SignalCollection;
  _id: Types.ObjectId;
  set: Pick<SignalRecord, "ledgerSeq" | "outcomeLedgerSeq" | "ledgerSalt">;
}

/** Writes on signals where the ledger has recorded them. */
export async function numberSignals(
  { database, session }: LedgerWrite,
  numbers: readonly SignalNumber[],
): Promise<void> {
  for (const collection of SIGNAL_COLLECTIONS) {
    const updates = numbers
      .filter(({ from }) => from === collection)
      .map(({ _id, set }) => ({ updateOne: { filter: { _id }, update: { $set: set } } }));
    if (updates.length > 0) await database[collection].collection.bulkWrite(updates, { session });
  }
}
