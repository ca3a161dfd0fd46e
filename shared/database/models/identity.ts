import { Schema, type Types } from "mongoose";

/** Sign-in secret of one account of the built-in identity provider. */
export interface IdentityRecord {
  _id: Types.ObjectId;
  emailKey: string;
  /** argon2id, in PHC string format. */
  passwordHash: string;
  createdAt: Date;
}

export const identitySchema = new Schema<IdentityRecord>(
  {
    emailKey: { type: String, required: true, unique: true },
    passwordHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "identities" },
);

/** What the product keeps of a user's account at Firebase, which has no password of his. */
export interface FirebaseAccountRecord {
  /** Firebase's `localId`; the user's `identityId`. */
  _id: string;
  emailKey: string;
  /** Lets the server act for the account: send its mails, delete it. Encrypted. */
  refreshToken: string;
  /** When the password was last changed, as Firebase said (ms since 1970). A later time: changed behind our back. */
  passwordUpdatedAt: number;
}

export const firebaseAccountSchema = new Schema<FirebaseAccountRecord>(
  {
    _id: { type: String, required: true },
    emailKey: { type: String, required: true, unique: true },
    refreshToken: { type: String, required: true },
    passwordUpdatedAt: { type: Number, required: true },
  },
  { versionKey: false, collection: "firebase_accounts" },
);

/** An address that somebody is registering at this moment. */
export interface AddressHoldRecord {
  /** The address in lower case. */
  _id: string;
  holder: string;
  /** From here on the holder counts as dead. */
  until: Date;
}

export const addressHoldSchema = new Schema<AddressHoldRecord>(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    until: { type: Date, required: true },
  },
  { versionKey: false, collection: "address_holds" },
);
addressHoldSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

/** What the link of a mail is good for. */
export type MailTokenKind = "verification" | "reset";

/** The token in the link of the last mail of one kind that an account was sent. */
export interface MailTokenRecord {
  /** `<kind>:<identityId>`: there is one of each kind, so that a new one takes the place of the one before. */
  _id: string;
  kind: MailTokenKind;
  identityId: string;
  /** SHA-256 in hex; the token itself is in the mail only. */
  tokenHash: string;
  expiresAt: Date;
}

export const mailTokenSchema = new Schema<MailTokenRecord>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true, enum: ["verification", "reset"] },
    identityId: { type: String, required: true },
    tokenHash: { type: String, required: true, unique: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "mail_tokens" },
);
mailTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** A ticket opens the page of the job queue once; a visit is what it is open by from then on. */
export type DashboardTokenKind = "ticket" | "visit";

/** The right of one administrator's session to see the job queue in a browser page, which can send no token. */
export interface DashboardTokenRecord {
  /** SHA-256 in hex; the secret itself is in the address or the cookie only. */
  _id: string;
  kind: DashboardTokenKind;
  userId: Types.ObjectId;
  /** The session that it was made in, and ends with. */
  sessionId: string;
  sessionVersion: number;
  /** When the session itself runs out; a pass never outlives it. */
  sessionExpiresAt: Date;
  expiresAt: Date;
}

export const dashboardTokenSchema = new Schema<DashboardTokenRecord>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true, enum: ["ticket", "visit"] },
    userId: { type: Schema.Types.ObjectId, required: true, index: true },
    sessionId: { type: String, required: true },
    sessionVersion: { type: Number, required: true },
    sessionExpiresAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "queue_passes" },
);
dashboardTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** How much of one limit has been used in the running period; written by rate-limiter-flexible. */
export interface RateLimitRecord {
  /** `<limit>:<hash of who is counted>`. */
  key: string;
  points: number;
  /** End of the period. */
  expire: Date;
}

export const rateLimitSchema = new Schema<RateLimitRecord>(
  {
    key: { type: String, required: true, unique: true },
    points: { type: Number, required: true },
    expire: { type: Date, required: true },
  },
  { versionKey: false, collection: "rate_limits" },
);
rateLimitSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });
