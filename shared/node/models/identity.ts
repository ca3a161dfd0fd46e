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
