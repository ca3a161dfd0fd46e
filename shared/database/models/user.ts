import type { Role } from "@shared/contract/account.ts";
import { type Connection, Schema, type Types } from "mongoose";

/** A sign-in of a user. */
export interface SessionRecord {
  /** A UUID, which the token of the session names. */
  id: string;
  createdAt: Date;
  /** Updated every few minutes while the session is used. */
  lastSeenAt: Date;
  userAgent: string;
  /** Hash of the network that the sign-in came from. */
  network: string;
}

/** A second factor: codes of an authenticator app (TOTP, RFC 6238). */
export interface TwoFactorRecord {
  /** Encrypted. */
  secret: string;
  /** The time steps of the last codes that were used; no code works twice. */
  usedSteps: number[];
  /** SHA-256 in hex, one for each code that is left. */
  recoveryHashes: string[];
}

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
  /** Oldest first. Some may have expired. */
  sessions: SessionRecord[];
  /** Increases when all sessions end, so that a sign-in that runs meanwhile starts none. */
  sessionVersion: number;
  twoFactor: TwoFactorRecord | null;
  /** Encrypted secret of a second factor that is not confirmed yet. */
  pendingTwoFactor: string | null;
  createdAt: Date;
  /** Last sequence number of the user's event stream. */
  lastEventSeq: number;
  /** Queued and running signals; changed in the transaction that changes a signal's status. */
  unfinishedSignals: number;
}

const userSchema = new Schema<UserRecord>(
  {
    username: String,
    usernameKey: { type: String, unique: true },
    email: String,
    emailKey: { type: String, unique: true },
    emailVerified: Boolean,
    identityId: { type: String, unique: true },
    role: String,
    approved: Boolean,
    allowImageUpload: Boolean,
    imageCredits: Number,
    sessions: [
      {
        _id: false,
        id: String,
        createdAt: Date,
        lastSeenAt: Date,
        userAgent: String,
        network: String,
      },
    ],
    sessionVersion: Number,
    twoFactor: {
      type: new Schema<TwoFactorRecord>(
        { secret: String, usedSteps: [Number], recoveryHashes: [String] },
        { _id: false },
      ),
    },
    pendingTwoFactor: String,
    createdAt: Date,
    lastEventSeq: Number,
    unfinishedSignals: Number,
  },
  { versionKey: false, collection: "users" },
);
userSchema.index(
  { unfinishedSignals: 1 },
  { partialFilterExpression: { unfinishedSignals: { $gt: 0 } } },
);

/** A grant is made by an administrator, a spend by a request with an image, a refund when that fails. */
export type CreditKind = "grant" | "spend" | "refund";

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
    userId: Schema.Types.ObjectId,
    kind: String,
    amount: Number,
    balance: Number,
    by: String,
    why: String,
    signalId: Schema.Types.ObjectId,
    isRefusal: Boolean,
    at: Date,
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
