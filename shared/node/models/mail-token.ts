import { Schema } from "mongoose";

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
