import type { LedgerFigures, LedgerRecord } from "@shared/contract/ledger.ts";
import { Schema } from "mongoose";

type Stored<Link> = Link extends LedgerRecord ? Omit<Link, "seq"> & { _id: number } : never;

/** One record of the chain, as it is published; `_id` is its `seq`. Never changed, never deleted. */
export type LedgerDocument = Stored<LedgerRecord>;

export const ledgerSchema = new Schema<LedgerDocument>(
  {
    _id: { type: Number, required: true },
    kind: { type: String, required: true },
    at: { type: String, required: true },
    prev_hash: { type: String, required: true },
    body: { type: Schema.Types.Mixed, required: true },
    hash: { type: String, required: true },
  },
  { versionKey: false, collection: "ledger", minimize: false },
);

/** What opens the commitment of the record `_id`: the figures of a signal, without anything of its owner. */
export interface LedgerRevealRecord {
  _id: number;
  salt: string;
  figures: LedgerFigures;
  /** From when on it is shown to everybody; absent while a trade can still be made on it. */
  publicAt?: Date;
}

export const ledgerRevealSchema = new Schema<LedgerRevealRecord>(
  {
    _id: { type: Number, required: true },
    salt: { type: String, required: true },
    figures: { type: Schema.Types.Mixed, required: true },
    publicAt: { type: Date },
  },
  { versionKey: false, collection: "ledger_reveals", minimize: false },
);

export const LEDGER_HEAD_ID = "head";

/** The last record; whoever appends holds this document until he commits. */
export interface LedgerHeadRecord {
  _id: typeof LEDGER_HEAD_ID;
  seq: number;
  hash: string;
  at: string;
  /** Counts the transactions that took hold of it; writing it is what two of them collide on. */
  holds: number;
}

export const ledgerHeadSchema = new Schema<LedgerHeadRecord>(
  {
    _id: { type: String, required: true },
    seq: { type: Number, required: true },
    hash: { type: String, required: true },
    at: { type: String, required: true },
    holds: { type: Number, required: true },
  },
  { versionKey: false, collection: "ledger_heads" },
);

/** The head as it is published for one day; `_id` is the day in UTC, such as `2025-01-31`. */
export interface LedgerPublicationRecord {
  _id: string;
  seq: number;
  hash: string;
  at: string;
}

export const ledgerPublicationSchema = new Schema<LedgerPublicationRecord>(
  {
    _id: { type: String, required: true },
    seq: { type: Number, required: true },
    hash: { type: String, required: true },
    at: { type: String, required: true },
  },
  { versionKey: false, collection: "ledger_publications" },
);
