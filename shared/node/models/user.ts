import type { Role } from "@shared/contract/account.ts";
import { Schema, type Types } from "mongoose";

/** An account as the product sees it; the password lives with the identity provider. */
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
  /** Tokens made under an earlier version are void, except the one of `keptSessionId`. */
  sessionVersion: number;
  keptSessionId: string | null;
  createdAt: Date;
  /** Last sequence number of the user's event stream. */
  lastEventSeq: number;
  /** Queued and running signals; changed in the transaction that changes a signal's status. */
  unfinishedSignals: number;
}

export const userSchema = new Schema<UserRecord>(
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
