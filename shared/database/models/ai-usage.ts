import { USAGE_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { type Connection, Schema, type Types } from "mongoose";

/** Tokens and cost of one analysis. It names no user. */
export interface SignalUsageRecord {
  /** The analysis's id. */
  _id: Types.ObjectId;
  /** When the analysis was finished. */
  at: Date;
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** US dollars; null if the price of the model is not set. */
  costUsd: number | null;
}

const signalUsageSchema = new Schema<SignalUsageRecord>(
  {
    _id: Schema.Types.ObjectId,
    at: Date,
    model: String,
    promptTokens: Number,
    completionTokens: Number,
    costUsd: Number,
  },
  { versionKey: false, collection: "signal_usages" },
);
// The totals of the last days are read from this index alone.
signalUsageSchema.index({ at: -1, model: 1, promptTokens: 1, completionTokens: 1, costUsd: 1 });
signalUsageSchema.index({ at: 1 }, { expireAfterSeconds: USAGE_RETENTION_DAYS * 86_400 });

/** Cost of the AI calls of all workers that ended on one UTC day. */
interface AiSpendingRecord {
  /** The day, as `2026-03-18`. */
  _id: string;
  /** Billionths of a US dollar: whole numbers add up exactly, and a day's stay below 2^53. */
  nanoUsd: number;
}

const aiSpendingSchema = new Schema<AiSpendingRecord>(
  { _id: String, nanoUsd: Number },
  { versionKey: false, collection: "ai_spending" },
);

export const aiUsageModels = (connection: Connection) => ({
  aiSpending: connection.model<AiSpendingRecord>("AiSpending", aiSpendingSchema),
  signalUsages: connection.model<SignalUsageRecord>("SignalUsage", signalUsageSchema),
});
