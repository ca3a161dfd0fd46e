import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { Analysis, Outcome, SignalStatus } from "@shared/contract/signal.ts";
import { Schema, type Types } from "mongoose";

/** A signal from its request to its end: `queued → running → completed | failed`. */
export interface SignalRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  symbol: string;
  timeframe: Timeframe;
  limit: number;
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
  outcome?: Outcome;
  /** How the result came about, for whoever wants to recompute it. */
  receipt?: unknown;
}

export const signalSchema = new Schema<SignalRecord>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    symbol: { type: String, required: true },
    timeframe: { type: String, required: true },
    limit: { type: Number, required: true },
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
    outcome: { type: String, enum: ["WIN", "LOSS", "EXPIRED"] },
    receipt: { type: Schema.Types.Mixed },
  },
  { versionKey: false, collection: "signals", minimize: false },
);
signalSchema.index({ userId: 1, createdAt: -1, _id: -1 });
signalSchema.index(
  { updatedAt: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
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
