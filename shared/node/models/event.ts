import { EVENT_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { Schema, type Types } from "mongoose";

/** An outbox event. Instructions to the servers themselves (`session:ended`) have no sequence number. */
export interface EventRecord {
  _id: Types.ObjectId;
  /** `user:<id>`, `admins`, or `control` for instructions to the servers. */
  stream: string;
  seq?: number;
  name: string;
  data: unknown;
  /** Of the request that the change goes back to; for the logs only. */
  requestId?: string;
  /** User name of the administrator whose action this event tells of. */
  actor?: string;
  at: Date;
}

export const eventSchema = new Schema<EventRecord>(
  {
    stream: { type: String, required: true },
    seq: { type: Number },
    name: { type: String, required: true },
    data: { type: Schema.Types.Mixed, required: true },
    requestId: { type: String },
    actor: { type: String },
    at: { type: Date, required: true },
  },
  { versionKey: false, collection: "events", minimize: false },
);
eventSchema.index(
  { stream: 1, seq: 1 },
  { unique: true, partialFilterExpression: { seq: { $exists: true } } },
);
eventSchema.index({ at: 1 }, { expireAfterSeconds: EVENT_RETENTION_DAYS * 86_400 });

/** The last sequence number of a stream that several users share; a user's own is on the user. */
export interface StreamHeadRecord {
  /** Name of the stream. */
  _id: string;
  seq: number;
}

export const streamHeadSchema = new Schema<StreamHeadRecord>(
  {
    _id: { type: String, required: true },
    seq: { type: Number, required: true },
  },
  { versionKey: false, collection: "stream_heads" },
);
