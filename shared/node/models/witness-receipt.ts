import {
  WITNESS_KINDS,
  WITNESS_STATUSES,
  type WitnessKind,
  type WitnessStatus,
} from "@shared/contract/ledger-heads.ts";
import { Schema, type Types } from "mongoose";

/** States that a witness has the head of one day. The unique index makes it one receipt for each day and witness. */
export interface WitnessReceiptRecord {
  _id: Types.ObjectId;
  /** Day of the head in UTC, such as `2025-01-31`. */
  day: string;
  kind: WitnessKind;
  /** Tells witnesses of one kind apart: the address of a calendar, otherwise the kind. */
  name: string;
  /** Number and hash of the head. */
  seq: number;
  hash: string;
  status: WitnessStatus;
  /** When the status was reached. */
  at: Date;
  /** Address at which the public can look the head up. */
  url?: string;
  /** The proof of a calendar as an .ots file. */
  proof?: Buffer;
  /** Height of the Bitcoin block that the proof leads to. */
  bitcoinBlock?: number;
  /** Id of a commit that holds the head. */
  commit?: string;
  /** When a pending proof is looked up next. */
  dueAt?: Date;
}

export const witnessReceiptSchema = new Schema<WitnessReceiptRecord>(
  {
    day: { type: String, required: true },
    kind: { type: String, required: true, enum: WITNESS_KINDS },
    name: { type: String, required: true },
    seq: { type: Number, required: true },
    hash: { type: String, required: true },
    status: { type: String, required: true, enum: WITNESS_STATUSES },
    at: { type: Date, required: true },
    url: { type: String },
    proof: { type: Buffer },
    bitcoinBlock: { type: Number },
    commit: { type: String },
    dueAt: { type: Date },
  },
  { versionKey: false, collection: "witness_receipts" },
);
witnessReceiptSchema.index({ day: 1, kind: 1, name: 1 }, { unique: true });
witnessReceiptSchema.index(
  { name: 1, dueAt: 1 },
  { partialFilterExpression: { status: "pending" } },
);
