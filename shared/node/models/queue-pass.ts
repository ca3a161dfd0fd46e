import { Schema, type Types } from "mongoose";

/** A ticket opens the page of the job queue once; a visit is what it is open by from then on. */
export type QueuePassKind = "ticket" | "visit";

/** The right of one administrator's session to see the job queue in a browser page, which can send no token. */
export interface QueuePassRecord {
  /** SHA-256 in hex; the secret itself is in the address or the cookie only. */
  _id: string;
  kind: QueuePassKind;
  userId: Types.ObjectId;
  /** The session that it was made in, and ends with. */
  sessionId: string;
  sessionVersion: number;
  /** When the session itself runs out; a pass never outlives it. */
  sessionExpiresAt: Date;
  expiresAt: Date;
}

export const queuePassSchema = new Schema<QueuePassRecord>(
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
queuePassSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
