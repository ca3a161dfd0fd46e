import { USAGE_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { Schema, type Types } from "mongoose";

/**
 * What one analysis cost. It names nobody.
 */
export interface SignalUsageRecord {
  /** The analysis's id. */
  _id: Types.ObjectId;
  /** When the analysis ended. */
  at: Date;
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** US dollars; null where the model's price is not known. */
  costUsd: number | null;
}

export const signalUsageSchema = new Schema<SignalUsageRecord>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    at: { type: Date, required: true },
    model: { type: String, required: true },
    promptTokens: { type: Number, required: true },
    completionTokens: { type: Number, required: true },
    costUsd: { type: Number, default: null },
  },
  { versionKey: false, collection: "signal_usages" },
);
// Sums of the last days are read from this index alone.
signalUsageSchema.index({ at: -1, model: 1, promptTokens: 1, completionTokens: 1, costUsd: 1 });
signalUsageSchema.index({ at: 1 }, { expireAfterSeconds: USAGE_RETENTION_DAYS * 86_400 });

/** Cost of the AI calls of all workers that ended on one UTC day. */
export interface AiSpendingRecord {
  /** The day, as `2026-03-18`. */
  _id: string;
  /** Billionths of a US dollar: whole numbers add up exactly, and a day's stay below 2^53. */
  nanoUsd: number;
}

export const aiSpendingSchema = new Schema<AiSpendingRecord>(
  {
    _id: { type: String, required: true },
    nanoUsd: { type: Number, required: true },
  },
  { versionKey: false, collection: "ai_spending" },
);
