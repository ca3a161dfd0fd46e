import type {
  LedgerFigures,
  LedgerRecord,
  PublishedHead,
  WitnessKind,
  WitnessStatus,
} from "@shared/contract/ledger.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

type Stored<Link> = Link extends LedgerRecord ? Omit<Link, "seq"> & { _id: number } : never;

/** One record of the chain, as published; `_id` is its `seq`. Never changed or deleted. */
export type LedgerDocument = Stored<LedgerRecord>;

const ledgerSchema = recordSchema<LedgerDocument>("ledger", { _id: Number });
ledgerSchema.index(
  { "body.arm": 1, _id: 1 },
  { partialFilterExpression: { "body.arm": { $exists: true } } },
);

/** Opens the commitment of the record `_id`: the figures of an analysis. */
export interface LedgerRevealRecord {
  _id: number;
  salt: string;
  figures: LedgerFigures;
  /** When it becomes public; absent while the trade can still be made. */
  publicAt?: Date;
}

const ledgerRevealSchema = recordSchema<LedgerRevealRecord>("ledger_reveals", { _id: Number });

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

const ledgerHeadSchema = recordSchema<LedgerHeadRecord>("ledger_heads", { _id: String });

/** The head as published for one day; `_id` is the day in UTC, such as `2025-01-31`. */
export type LedgerPublicationRecord = Omit<PublishedHead, "day"> & { _id: string };

const ledgerPublicationSchema = recordSchema<LedgerPublicationRecord>("ledger_publications", {
  _id: String,
});

/** Records that a witness has the head of one day. There is one for each day and witness. */
export interface WitnessReceiptRecord {
  _id: Types.ObjectId;
  day: string;
  kind: WitnessKind;
  /** Distinguishes witnesses of one kind: the address of a calendar, otherwise the kind. */
  name: string;
  seq: number;
  hash: string;
  status: WitnessStatus;
  at: Date;
  url?: string;
  proof?: Buffer;
  bitcoinBlock?: number;
  commit?: string;
  /** When to check a pending proof next. */
  dueAt?: Date;
}

const witnessReceiptSchema = recordSchema<WitnessReceiptRecord>("witness_receipts", {
  proof: Buffer,
});
witnessReceiptSchema.index({ day: 1, kind: 1, name: 1 }, { unique: true });
witnessReceiptSchema.index(
  { name: 1, dueAt: 1 },
  { partialFilterExpression: { status: "pending" } },
);

export const ledgerModels = (connection: Connection) => ({
  ledger: modelOf(connection, ledgerSchema),
  ledgerReveals: modelOf(connection, ledgerRevealSchema),
  ledgerHeads: modelOf(connection, ledgerHeadSchema),
  ledgerPublications: modelOf(connection, ledgerPublicationSchema),
  witnessReceipts: modelOf(connection, witnessReceiptSchema),
});
