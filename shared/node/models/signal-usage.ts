import { USAGE_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { Schema, type Types } from "mongoose";

/**
 * What the analysis of one signal cost. It names nobody and outlives its signal: money stays spent when a history is
 * cleared.
 */
export interface SignalUsageRecord {
  /** The signal's id. */
  _id: Types.ObjectId;
  /** When the signal ended. */
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
