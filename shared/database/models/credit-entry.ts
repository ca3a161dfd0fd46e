import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** A grant is made by an administrator or for a month of a subscription, a spend by a request with an image, a refund when that fails. */
export type CreditKind = "grant" | "spend" | "refund";

/** One entry of the credit ledger; a user's entries add up to their balance. */
interface CreditEntryRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  kind: CreditKind;
  /** Whole number that was added to the balance, never 0. */
  amount: number;
  balance: number;
  /** A user name, or `system`. */
  by: string;
  why: string;
  signalId?: Types.ObjectId;
  /** Start of the subscription month that a grant is for. */
  period?: Date;
  /** Set for the refund of an image that the model declined; such refunds are limited. */
  isRefusal?: true;
  at: Date;
}

const creditEntrySchema = recordSchema<CreditEntryRecord>("credit_entries", {
  userId: ObjectId,
  signalId: ObjectId,
});
creditEntrySchema.index({ userId: 1, at: 1 });
creditEntrySchema.index(
  { signalId: 1, kind: 1 },
  { unique: true, partialFilterExpression: { signalId: { $exists: true } } },
);
creditEntrySchema.index(
  { userId: 1, period: 1 },
  { unique: true, partialFilterExpression: { period: { $exists: true } } },
);

export const creditModels = (connection: Connection) => ({
  creditEntries: modelOf(connection, creditEntrySchema),
});
