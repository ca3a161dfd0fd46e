import type { Schema } from "mongoose";

/** Indexes that hold only what the ledger has yet to record: they stay small, however long the history. */
export function addLedgerIndexes(schema: Pick<Schema, "index">): void {
  schema.index(
    { finishedAt: 1, _id: 1 },
    {
      name: "not_in_ledger",
      partialFilterExpression: { status: "completed", ledgerSeq: null },
    },
  );
  schema.index(
    { ledgerSeq: 1 },
    {
      name: "outcome_not_in_ledger",
      partialFilterExpression: { outcome: { $exists: true }, outcomeLedgerSeq: null },
    },
  );
}
