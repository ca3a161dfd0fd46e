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
