import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { Analysis, Outcome, SignalStatus } from "@shared/contract/signal.ts";
import { Schema, type Types } from "mongoose";
import { addLedgerIndexes } from "./ledger-indexes.ts";
import { addPerformanceIndexes } from "./performance.ts";

/** Filter for signals that have no result yet. */
export const UNFINISHED = {
  status: { $in: ["queued", "running"] as const satisfies SignalStatus[] },
};

/** A signal from its request to its end: `queued → running → completed | failed`. */
export interface SignalRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  /** Of the request that asked for it; names it in the logs of all parts. */
  requestId?: string;
  /** USD. */
  amount: number;
  riskPercent: number;
  leverage: number;
  /** The chart picture that a credit was taken for. */
  chartImageId?: Types.ObjectId;
  status: SignalStatus;
  /** Counts the starts; a worker may only end the run that it started. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  analysis?: Analysis;
  /** When the price had left the entry zone, and where it was then; told once. */
  entryLeft?: { price: number; at: Date };
  outcome?: Outcome;
  /** How the market judged it; set together with `outcome`. */
  judgement?: Judgement;
  /** When to look next whether the market has judged it; only while that is open. */
  judgeAt?: Date;
  /** SHA-256, in hex, of the token that its public page is read with, and since when there is one. */
  shareHash?: string;
  sharedAt?: Date;
  /** How the result came about, for whoever wants to recompute it. */
  receipt?: unknown;
  /** Number of the ledger's record that commits to this signal; nothing judges it before. */
  ledgerSeq?: number;
  /** Number of the ledger's record of its outcome. */
  outcomeLedgerSeq?: number;
  /** Salt, in hex, of the ledger's commitment to whose signal this is; gone with the signal. */
  ledgerSalt?: string;
}

export const signalSchema = new Schema<SignalRecord>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    symbol: { type: String, required: true },
    timeframe: { type: String, required: true },
    limit: { type: Number, required: true },
    requestId: { type: String },
    amount: { type: Number, required: true },
    riskPercent: { type: Number, required: true },
    leverage: { type: Number, required: true },
    chartImageId: { type: Schema.Types.ObjectId },
    status: { type: String, required: true, enum: ["queued", "running", "completed", "failed"] },
    revision: { type: Number, required: true, default: 0 },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    startedAt: { type: Date },
    finishedAt: { type: Date },
    analysis: { type: Schema.Types.Mixed },
    entryLeft: { type: new Schema({ price: Number, at: Date }, { _id: false }) },
    outcome: { type: String, enum: ["WIN", "LOSS", "EXPIRED"] },
    judgement: { type: Schema.Types.Mixed },
    judgeAt: { type: Date },
    shareHash: { type: String },
    sharedAt: { type: Date },
    receipt: { type: Schema.Types.Mixed },
    ledgerSeq: { type: Number },
    outcomeLedgerSeq: { type: Number },
    ledgerSalt: { type: String },
  },
  { versionKey: false, collection: "signals", minimize: false },
);
signalSchema.index({ userId: 1, createdAt: -1, _id: -1 });
signalSchema.index({ judgeAt: 1 }, { sparse: true });
signalSchema.index({ shareHash: 1 }, { unique: true, sparse: true });
signalSchema.index({ userId: 1, symbol: 1, createdAt: -1, _id: -1 });
signalSchema.index({ userId: 1, "analysis.final_signal": 1, createdAt: -1, _id: -1 });
signalSchema.index({ userId: 1, outcome: 1, createdAt: -1, _id: -1 });
signalSchema.index(
  { updatedAt: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
);
addPerformanceIndexes(signalSchema);
addLedgerIndexes(signalSchema);

// ISO times of one form sort like the times they name; a WAIT has none, and takes no room here.
signalSchema.index(
  { "analysis.valid_until": 1 },
  { partialFilterExpression: { "analysis.valid_until": { $gt: "" } } },
);

/** The candles that a signal was made from, kept apart so that lists stay light. */
export interface SignalCandlesRecord {
  /** The signal's id. */
  _id: Types.ObjectId;
  candles: Candle[];
}

export const signalCandlesSchema = new Schema<SignalCandlesRecord>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "signal_candles" },
);

/** Which signal an idempotency key stands for; `_id` is `<user id>:<key>`. */
export interface IdempotencyRecord {
  _id: string;
  signalId: Types.ObjectId;
  createdAt: Date;
}

export const idempotencySchema = new Schema<IdempotencyRecord>(
  {
    _id: { type: String, required: true },
    signalId: { type: Schema.Types.ObjectId, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "idempotency_keys" },
);
idempotencySchema.index({ createdAt: 1 }, { expireAfterSeconds: IDEMPOTENCY_HOURS * 3_600 });
