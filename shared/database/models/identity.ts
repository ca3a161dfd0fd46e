import { type Connection, Schema, type Types } from "mongoose";

/** Sign-in secret of one account of the built-in identity provider. */
interface IdentityRecord {
  _id: Types.ObjectId;
  emailKey: string;
  /** argon2id, in PHC string format. */
  passwordHash: string;
  createdAt: Date;
}

const identitySchema = new Schema<IdentityRecord>(
  { emailKey: { type: String, unique: true }, passwordHash: String, createdAt: Date },
  { versionKey: false, collection: "identities" },
);

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

const firebaseAccountSchema = new Schema<FirebaseAccountRecord>(
  {
    _id: String,
    emailKey: { type: String, unique: true },
    refreshToken: String,
    passwordUpdatedAt: Number,
  },
  { versionKey: false, collection: "firebase_accounts" },
);

/** Locks an email address while it is being registered. */
export interface RegistrationLockRecord {
  /** The address in lower case. */
  _id: string;
  holder: string;
  /** When the lock expires. */
  until: Date;
}

const registrationLockSchema = new Schema<RegistrationLockRecord>(
  { _id: String, holder: String, until: Date },
  { versionKey: false, collection: "registration_locks" },
);
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

const mailTokenSchema = new Schema<MailTokenRecord>(
  {
    _id: String,
    kind: String,
    identityId: String,
    tokenHash: { type: String, unique: true },
    expiresAt: Date,
  },
  { versionKey: false, collection: "mail_tokens" },
);
mailTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** A one-time ticket opens the queue dashboard; the visit is its session from then on. */
export type DashboardTokenKind = "ticket" | "visit";

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

const dashboardTokenSchema = new Schema<DashboardTokenRecord>(
  {
    _id: String,
    kind: String,
    userId: { type: Schema.Types.ObjectId, index: true },
    sessionId: String,
    expiresAt: Date,
  },
  { versionKey: false, collection: "dashboard_tokens" },
);
dashboardTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Use of one limit in the current period. Written by rate-limiter-flexible. */
interface RateLimitRecord {
  /** `<limit>:<hash of the client>`. */
  key: string;
  points: number;
  /** End of the period. */
  expire: Date;
}

const rateLimitSchema = new Schema<RateLimitRecord>(
  { key: { type: String, unique: true }, points: Number, expire: Date },
  { versionKey: false, collection: "rate_limits" },
);
rateLimitSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });

export const identityModels = (connection: Connection) => ({
  identities: connection.model<IdentityRecord>("Identity", identitySchema),
  mailTokens: connection.model<MailTokenRecord>("MailToken", mailTokenSchema),
  firebaseAccounts: connection.model<FirebaseAccountRecord>(
    "FirebaseAccount",
    firebaseAccountSchema,
  ),
  registrationLocks: connection.model<RegistrationLockRecord>(
    "RegistrationLock",
    registrationLockSchema,
  ),
  dashboardTokens: connection.model<DashboardTokenRecord>("DashboardToken", dashboardTokenSchema),
  rateLimits: connection.model<RateLimitRecord>("RateLimit", rateLimitSchema),
});
