import type { Timeframe } from "@shared/contract/candle.ts";
import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { Analysis, Outcome, SignalOrigin, SignalStatus } from "@shared/contract/signal.ts";
import { type Connection, Schema, type Types } from "mongoose";

/** Filter for signals that have no result yet. */
export const UNFINISHED = {
  status: { $in: ["queued", "running"] as const satisfies SignalStatus[] },
};

/** A user's request and its result: `queued → running → completed | failed`. */
export interface SignalRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  /** The market analysis that it refers to. */
  analysisId: Types.ObjectId;
  origin: SignalOrigin;
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  /** Id of the request that asked for it, for the logs. */
  requestId?: string;
  /** USD. */
  amount: number;
  riskPercent: number;
  leverage: number;
  /** The chart image that a credit was spent on. */
  chartImageId?: Types.ObjectId;
  status: SignalStatus;
  /** The run of the analysis for which `signal:started` was last sent. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  /** The analysis, sized for the user. */
  analysis?: Analysis;
  /** When the price had left the entry zone, and where it was then. */
  entryLeft?: { price: number; at: Date };
  /** Of its analysis; a WAIT has none. */
  outcome?: Outcome;
  /** SHA-256, in hex, of the token of its public page, and when that was created. */
  shareHash?: string;
  sharedAt?: Date;
}

const signalSchema = new Schema<SignalRecord>(
  {
    userId: Schema.Types.ObjectId,
    analysisId: Schema.Types.ObjectId,
    origin: String,
    symbol: String,
    timeframe: String,
    limit: Number,
    requestId: String,
    amount: Number,
    riskPercent: Number,
    leverage: Number,
    chartImageId: Schema.Types.ObjectId,
    status: String,
    revision: Number,
    createdAt: Date,
    updatedAt: Date,
    startedAt: Date,
    finishedAt: Date,
    analysis: Schema.Types.Mixed,
    entryLeft: new Schema({ price: Number, at: Date }, { _id: false }),
    outcome: String,
    shareHash: String,
    sharedAt: Date,
  },
  { versionKey: false, collection: "signals", minimize: false },
);
signalSchema.index({ userId: 1, createdAt: -1, _id: -1 });
signalSchema.index({ analysisId: 1, _id: 1 });
signalSchema.index({ shareHash: 1 }, { unique: true, sparse: true });
signalSchema.index({ userId: 1, symbol: 1, createdAt: -1, _id: -1 });
signalSchema.index({ userId: 1, "analysis.final_signal": 1, createdAt: -1, _id: -1 });
signalSchema.index({ userId: 1, outcome: 1, createdAt: -1, _id: -1 });
signalSchema.index(
  { updatedAt: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
);

/** The signal of an idempotency key; `_id` is `<user id>:<key>`. */
interface IdempotencyRecord {
  _id: string;
  signalId: Types.ObjectId;
  createdAt: Date;
}

const idempotencySchema = new Schema<IdempotencyRecord>(
  { _id: String, signalId: Schema.Types.ObjectId, createdAt: Date },
  { versionKey: false, collection: "idempotency_keys" },
);
idempotencySchema.index({ createdAt: 1 }, { expireAfterSeconds: IDEMPOTENCY_HOURS * 3_600 });

export const signalModels = (connection: Connection) => ({
  signals: connection.model<SignalRecord>("Signal", signalSchema),
  idempotencyKeys: connection.model<IdempotencyRecord>("IdempotencyKey", idempotencySchema),
});
