import { USAGE_RETENTION_DAYS } from "@shared/contract/constants.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** Tokens and cost of one analysis. It names no user. */
export interface SignalUsageRecord {
  _id: Types.ObjectId;
  at: Date;
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** US dollars; null if the price of the model is not set. */
  costUsd: number | null;
}

const signalUsageSchema = recordSchema<SignalUsageRecord>("signal_usages");
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

const aiSpendingSchema = recordSchema<AiSpendingRecord>("ai_spending", { _id: String });

export const aiUsageModels = (connection: Connection) => ({
  aiSpending: modelOf(connection, aiSpendingSchema),
  signalUsages: modelOf(connection, signalUsageSchema),
});
