import { Schema } from "mongoose";

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
