import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

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

export const identityModels = (connection: Connection) => ({
  identities: modelOf(connection, identitySchema),
  mailTokens: modelOf(connection, mailTokenSchema),
  firebaseAccounts: modelOf(connection, firebaseAccountSchema),
  registrationLocks: modelOf(connection, registrationLockSchema),
});
