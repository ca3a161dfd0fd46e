import { Schema, type Types } from "mongoose";
import { addLedgerIndexes } from "./ledger-indexes.ts";
import { addPerformanceIndexes } from "./performance.ts";
import type { SignalRecord } from "./signal.ts";

/**
 * A completed signal whose history was cleared: what its performance is computed from, under a new id, without its owner
 * and his amounts. It is judged like every other, and stays.
 */
export interface ClearedSignalRecord
  extends Pick<
    SignalRecord,
    | "_id"
    | "symbol"
    | "timeframe"
    | "createdAt"
    | "startedAt"
    | "finishedAt"
    | "updatedAt"
    | "analysis"
    | "outcome"
    | "judgement"
    | "judgeAt"
    | "receipt"
    | "ledgerSeq"
    | "outcomeLedgerSeq"
  > {
  _id: Types.ObjectId;
  status: "completed";
  /** A commitment to whose signal it was, for the ledger. Its salt is kept nowhere. */
  privateCommitment: string;
  /** Number of the ledger's record that says that the owner is forgotten. */
  tombstoneSeq?: number;
}

export const clearedSignalSchema = new Schema<ClearedSignalRecord>(
  {
    symbol: { type: String, required: true },
    timeframe: { type: String, required: true },
    status: { type: String, required: true, enum: ["completed"] },
    createdAt: { type: Date, required: true },
    startedAt: { type: Date },
    finishedAt: { type: Date },
    updatedAt: { type: Date, required: true },
    analysis: { type: Schema.Types.Mixed },
    outcome: { type: String, enum: ["WIN", "LOSS", "EXPIRED"] },
    judgement: { type: Schema.Types.Mixed },
    judgeAt: { type: Date },
    receipt: { type: Schema.Types.Mixed },
    ledgerSeq: { type: Number },
    outcomeLedgerSeq: { type: Number },
    privateCommitment: { type: String, required: true },
    tombstoneSeq: { type: Number },
  },
  { versionKey: false, collection: "cleared_signals", minimize: false },
);
addLedgerIndexes(clearedSignalSchema);
addPerformanceIndexes(clearedSignalSchema);
clearedSignalSchema.index({ judgeAt: 1 }, { sparse: true });
clearedSignalSchema.index(
  { ledgerSeq: 1 },
  { name: "no_tombstone", partialFilterExpression: { tombstoneSeq: null } },
);
