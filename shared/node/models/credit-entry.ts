import { Schema, type Types } from "mongoose";

/** Why the balance changed: an administrator gave or took, a signal with an image was asked for, or came to nothing. */
export const CREDIT_KINDS = ["grant", "spend", "refund"] as const;
export type CreditKind = (typeof CREDIT_KINDS)[number];

/** One line of the ledger of image credits; a user's lines add up to his balance. */
export interface CreditEntryRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  kind: CreditKind;
  /** Signed whole number that was really added to the balance, never 0. */
  amount: number;
  /** The balance after it. */
  balance: number;
  /** A user name, or `system`. */
  by: string;
  why: string;
  signalId?: Types.ObjectId;
  /** Refunds an analysis that the model refused; such refunds are limited. */
  isRefusal?: true;
  at: Date;
}

export const creditEntrySchema = new Schema<CreditEntryRecord>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    kind: { type: String, required: true, enum: CREDIT_KINDS },
    amount: { type: Number, required: true },
    balance: { type: Number, required: true, min: 0 },
    by: { type: String, required: true },
    why: { type: String, required: true },
    signalId: { type: Schema.Types.ObjectId },
    isRefusal: { type: Boolean },
    at: { type: Date, required: true },
  },
  { versionKey: false, collection: "credit_entries" },
);
creditEntrySchema.index({ userId: 1, at: 1 });
creditEntrySchema.index(
  { signalId: 1, kind: 1 },
  { unique: true, partialFilterExpression: { signalId: { $exists: true } } },
);
