import { EVENT_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { Schema, type Types } from "mongoose";

/** One line of the event log. Orders to the servers themselves (`session:ended`) carry no number. */
export interface EventRecord {
  _id: Types.ObjectId;
  /** `user:<id>`, `admins`, or `control` for orders to the servers. */
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

/**
 * What is counted of one stream. It lies among the events, so that one command moves it on and adds what it counts; it
 * has neither their fields nor their indexes, and nothing removes it but the end of its stream.
 */
export interface StreamHeadRecord {
  /** Name of the stream. */
  _id: string;
  /** The last number given out. */
  head: number;
  /** Signals of the stream's user that are queued or running. */
  unfinished?: number;
  /** How often a change took the stream for itself before it knew what it would tell. */
  claims?: number;
}

export const streamHeadSchema = new Schema<StreamHeadRecord>(
  {
    _id: { type: String, required: true },
    head: { type: Number, required: true, default: 0 },
    unfinished: { type: Number },
    claims: { type: Number },
  },
  { versionKey: false, collection: "events" },
);
