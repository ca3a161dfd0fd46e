import type { Role, StreamPositions } from "@shared/contract/account.ts";
import type { Connection, Types } from "mongoose";
import type { SubscriptionRecord } from "./payment.ts";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

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

/** A network from which the user has signed in. */
export interface KnownNetwork {
  /** Hash, as in a session. */
  network: string;
  signedInAt: Date;
}

/** A wrong own password of a signed-in user, or one that is being checked. */
export interface WrongPassword {
  id: string;
  at: Date;
  /** While it is being checked. */
  isOpen?: true;
}

/** A second factor: codes of an authenticator app (TOTP, RFC 6238). */
interface TwoFactorRecord {
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
  /** What administrators search: `searchKeyOf` the user. */
  searchKey: string;
  emailVerified: boolean;
  identityId: string;
  role: Role;
  approved: boolean;
  allowImageUpload: boolean;
  imageCredits: number;
  /** The last one. */
  subscription?: SubscriptionRecord;
  /** Oldest first. Some may have expired. */
  sessions: SessionRecord[];
  /** Increases when all sessions end, so that a sign-in that runs meanwhile starts none. */
  sessionVersion: number;
  /** Kept when sessions end, the one used last at the end. Some may be older than they count. */
  networks?: KnownNetwork[];
  /** Oldest first. Some may be older than they count. */
  wrongPasswords?: WrongPassword[];
  /** When the owner was last told of wrong own passwords. */
  toldOfWrongPasswordsAt?: Date;
  twoFactor: TwoFactorRecord | null;
  /** Encrypted secret of a second factor that is not confirmed yet. */
  pendingTwoFactor: string | null;
  createdAt: Date;
  lastEventSeq: number;
  /** The last event of each stream that the user has seen in their notifications. */
  seenNotifications?: StreamPositions;
  /** AI analyses that requests of the user have started on a UTC day, such as `2026-03-18`. */
  analyses?: { day: string; count: number };
  /** Increases when an item is added to the watchlist, so that additions at the same time conflict. */
  watchlistVersion?: number;
  /** Increases when a channel is added, so that additions at the same time conflict. */
  channelsVersion?: number;
  /** Times of day in a time zone, between which messages are held. */
  quietHours?: { start: string; end: string; timeZone: string };
  /** Queued and running signals; changed in the transaction that changes a signal's status. */
  unfinishedSignals: number;
}

/** Username and address in one text, because an index is searched for one expression only. */
export const searchKeyOf = ({
  usernameKey,
  emailKey,
}: Pick<UserRecord, "usernameKey" | "emailKey">) => `${usernameKey}\n${emailKey}`;

/** Contains what a search compares, so that it reads the documents of the found users only. */
export const USER_LIST_INDEX = { createdAt: -1, _id: -1, approved: 1, searchKey: 1 } as const;

export const USER_APPROVAL_INDEX = { approved: 1, createdAt: -1, _id: -1 } as const;

const userSchema = recordSchema<UserRecord>("users");
userSchema.index({ usernameKey: 1 }, { unique: true });
userSchema.index({ emailKey: 1 }, { unique: true });
userSchema.index({ identityId: 1 }, { unique: true });
userSchema.index(USER_LIST_INDEX);
userSchema.index(USER_APPROVAL_INDEX);
userSchema.index({ "analyses.day": 1, "analyses.count": -1 }, { sparse: true });
userSchema.index(
  { unfinishedSignals: 1 },
  { partialFilterExpression: { unfinishedSignals: { $gt: 0 } } },
);

userSchema.index({ "subscription.nextDueAt": 1 }, { sparse: true });
userSchema.index({ "subscription.accessEndsAt": 1 }, { sparse: true });

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

export const userModels = (connection: Connection) => ({
  users: modelOf(connection, userSchema),
  creditEntries: modelOf(connection, creditEntrySchema),
});

/** Sign-in secret of one account of the built-in identity provider. */
interface IdentityRecord {
  _id: Types.ObjectId;
  emailKey: string;
  /** argon2id, in PHC string format. */
  passwordHash: string;
  createdAt: Date;
}

const identitySchema = recordSchema<IdentityRecord>("identities");
identitySchema.index({ emailKey: 1 }, { unique: true });

/** The user's account at Firebase, without a password. */
interface FirebaseAccountRecord {
  /** Firebase's `localId`; the user's `identityId`. */
  _id: string;
  emailKey: string;
  /** Lets the server send mails for the account and delete it. Encrypted. */
  refreshToken: string;
  /** Time of the last password change known here (ms since 1970). A later one at Firebase was made elsewhere. */
  passwordUpdatedAt: number;
}

const firebaseAccountSchema = recordSchema<FirebaseAccountRecord>("firebase_accounts", {
  _id: String,
});
firebaseAccountSchema.index({ emailKey: 1 }, { unique: true });

export interface RegistrationLockRecord {
  /** The address in lower case. */
  _id: string;
  holder: string;
  until: Date;
}

const registrationLockSchema = recordSchema<RegistrationLockRecord>("registration_locks", {
  _id: String,
});
registrationLockSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

export type MailTokenKind = "verification" | "reset";

/** The token in the link of the last email of one kind to an account. */
export interface MailTokenRecord {
  /** `<kind>:<identityId>`: a new token of a kind replaces the previous one. */
  _id: string;
  kind: MailTokenKind;
  identityId: string;
  /** SHA-256 in hex; the token itself is only in the email. */
  tokenHash: string;
  expiresAt: Date;
}

const mailTokenSchema = recordSchema<MailTokenRecord>("mail_tokens", { _id: String });
mailTokenSchema.index({ tokenHash: 1 }, { unique: true });
mailTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** A one-time ticket opens the queue dashboard, which has a session of its own from then on. */
export type DashboardTokenKind = "ticket" | "session";

/** Access to the queue dashboard, whose pages cannot send the token of the administrator's session. */
export interface DashboardTokenRecord {
  /** SHA-256 in hex; the secret itself is only in the address or the cookie. */
  _id: string;
  kind: DashboardTokenKind;
  userId: Types.ObjectId;
  /** The session that it was created in and ends with. */
  sessionId: string;
  expiresAt: Date;
}

const dashboardTokenSchema = recordSchema<DashboardTokenRecord>("dashboard_tokens", {
  _id: String,
  userId: ObjectId,
});
dashboardTokenSchema.index({ userId: 1 });
dashboardTokenSchema.index({ sessionId: 1 });
dashboardTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

interface RateLimitRecord {
  /** `<limit>:<hash of the client>`. */
  key: string;
  points: number;
  expire: Date;
}

const rateLimitSchema = recordSchema<RateLimitRecord>("rate_limits");
rateLimitSchema.index({ key: 1 }, { unique: true });
rateLimitSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });

export const identityModels = (connection: Connection) => ({
  identities: modelOf(connection, identitySchema),
  mailTokens: modelOf(connection, mailTokenSchema),
  firebaseAccounts: modelOf(connection, firebaseAccountSchema),
  registrationLocks: modelOf(connection, registrationLockSchema),
  dashboardTokens: modelOf(connection, dashboardTokenSchema),
  rateLimits: modelOf(connection, rateLimitSchema),
});
