import type {
  LedgerFigures,
  LedgerRecord,
  WitnessKind,
  WitnessStatus,
} from "@shared/contract/ledger.ts";
import { type Connection, Schema, type Types } from "mongoose";

type Stored<Link> = Link extends LedgerRecord ? Omit<Link, "seq"> & { _id: number } : never;

/** One record of the chain, as published; `_id` is its `seq`. Never changed or deleted. */
export type LedgerDocument = Stored<LedgerRecord>;

const ledgerSchema = new Schema<LedgerDocument>(
  {
    _id: Number,
    kind: String,
    at: String,
    prev_hash: String,
    body: Schema.Types.Mixed,
    hash: String,
  },
  { versionKey: false, collection: "ledger", minimize: false },
);

/** Opens the commitment of the record `_id`: the figures of an analysis. */
export interface LedgerRevealRecord {
  _id: number;
  salt: string;
  figures: LedgerFigures;
  /** When it becomes public; absent while the trade can still be made. */
  publicAt?: Date;
}

const ledgerRevealSchema = new Schema<LedgerRevealRecord>(
  { _id: Number, salt: String, figures: Schema.Types.Mixed, publicAt: Date },
  { versionKey: false, collection: "ledger_reveals", minimize: false },
);

export const LEDGER_HEAD_ID = "head";

/** The last record. A transaction that appends changes this document first, so only one can append at a time. */
export interface LedgerHeadRecord {
  _id: typeof LEDGER_HEAD_ID;
  seq: number;
  hash: string;
  at: string;
  /** Number of transactions that changed the document. */
  holds: number;
}

const ledgerHeadSchema = new Schema<LedgerHeadRecord>(
  { _id: String, seq: Number, hash: String, at: String, holds: Number },
  { versionKey: false, collection: "ledger_heads" },
);

/** The head as published for one day; `_id` is the day in UTC, such as `2025-01-31`. */
export interface LedgerPublicationRecord {
  _id: string;
  seq: number;
  hash: string;
  at: string;
}

const ledgerPublicationSchema = new Schema<LedgerPublicationRecord>(
  { _id: String, seq: Number, hash: String, at: String },
  { versionKey: false, collection: "ledger_publications" },
);

/** Records that a witness has the head of one day. There is one for each day and witness. */
export interface WitnessReceiptRecord {
  _id: Types.ObjectId;
  /** Day of the head in UTC, such as `2025-01-31`. */
  day: string;
  kind: WitnessKind;
  /** Distinguishes witnesses of one kind: the address of a calendar, otherwise the kind. */
  name: string;
  /** Number and hash of the head. */
  seq: number;
  hash: string;
  status: WitnessStatus;
  /** When the status was reached. */
  at: Date;
  /** Public address of the head. */
  url?: string;
  /** The proof of a calendar as an .ots file. */
  proof?: Buffer;
  /** Height of the Bitcoin block that the proof leads to. */
  bitcoinBlock?: number;
  /** Id of a commit that holds the head. */
  commit?: string;
  /** When to check a pending proof next. */
  dueAt?: Date;
}

const witnessReceiptSchema = new Schema<WitnessReceiptRecord>(
  {
    day: String,
    kind: String,
    name: String,
    seq: Number,
    hash: String,
    status: String,
    at: Date,
    url: String,
    proof: Buffer,
    bitcoinBlock: Number,
    commit: String,
    dueAt: Date,
  },
  { versionKey: false, collection: "witness_receipts" },
);
witnessReceiptSchema.index({ day: 1, kind: 1, name: 1 }, { unique: true });
witnessReceiptSchema.index(
  { name: 1, dueAt: 1 },
  { partialFilterExpression: { status: "pending" } },
);

export const ledgerModels = (connection: Connection) => ({
  ledger: connection.model<LedgerDocument>("Ledger", ledgerSchema),
  ledgerReveals: connection.model<LedgerRevealRecord>("LedgerReveal", ledgerRevealSchema),
  ledgerHeads: connection.model<LedgerHeadRecord>("LedgerHead", ledgerHeadSchema),
  ledgerPublications: connection.model<LedgerPublicationRecord>(
    "LedgerPublication",
    ledgerPublicationSchema,
  ),
  witnessReceipts: connection.model<WitnessReceiptRecord>("WitnessReceipt", witnessReceiptSchema),
});
