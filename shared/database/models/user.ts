import type { Role } from "@shared/contract/account.ts";
import { type Connection, Schema, type Types } from "mongoose";

/** An account. Its password is stored by the identity provider. */
export interface UserRecord {
  _id: Types.ObjectId;
  username: string;
  /** `username` in lower case: names are unique without regard to case. */
  usernameKey: string;
  email: string;
  emailKey: string;
  emailVerified: boolean;
  /** The account's id at the identity provider. */
  identityId: string;
  role: Role;
  approved: boolean;
  allowImageUpload: boolean;
  imageCredits: number;
  /** Tokens of an earlier version are invalid, except the one of `keptSessionId`. */
  sessionVersion: number;
  keptSessionId: string | null;
  createdAt: Date;
  /** Last sequence number of the user's event stream. */
  lastEventSeq: number;
  /** Queued and running signals; changed in the transaction that changes a signal's status. */
  unfinishedSignals: number;
}

const userSchema = new Schema<UserRecord>(
  {
    username: { type: String, required: true },
    usernameKey: { type: String, required: true, unique: true },
    email: { type: String, required: true },
    emailKey: { type: String, required: true, unique: true },
    emailVerified: { type: Boolean, required: true, default: false },
    identityId: { type: String, required: true, unique: true },
    role: { type: String, required: true, enum: ["user", "admin"], default: "user" },
    approved: { type: Boolean, required: true, default: false },
    allowImageUpload: { type: Boolean, required: true, default: false },
    imageCredits: { type: Number, required: true, default: 0, min: 0 },
    sessionVersion: { type: Number, required: true, default: 0 },
    keptSessionId: { type: String, default: null },
    createdAt: { type: Date, required: true },
    lastEventSeq: { type: Number, required: true, default: 0 },
    unfinishedSignals: { type: Number, required: true, default: 0 },
  },
  { versionKey: false, collection: "users" },
);
userSchema.index(
  { unfinishedSignals: 1 },
  { partialFilterExpression: { unfinishedSignals: { $gt: 0 } } },
);

/** A grant is made by an administrator, a spend by a request with an image, a refund when that fails. */
const CREDIT_KINDS = ["grant", "spend", "refund"] as const;
export type CreditKind = (typeof CREDIT_KINDS)[number];

/** One entry of the credit ledger; a user's entries add up to their balance. */
export interface CreditEntryRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  kind: CreditKind;
  /** Whole number that was added to the balance, never 0. */
  amount: number;
  /** The balance after it. */
  balance: number;
  /** A user name, or `system`. */
  by: string;
  why: string;
  signalId?: Types.ObjectId;
  /** Set for the refund of an image that the model refused; such refunds are limited. */
  isRefusal?: true;
  at: Date;
}

const creditEntrySchema = new Schema<CreditEntryRecord>(
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

export const userModels = (connection: Connection) => ({
  users: connection.model<UserRecord>("User", userSchema),
  creditEntries: connection.model<CreditEntryRecord>("CreditEntry", creditEntrySchema),
});
