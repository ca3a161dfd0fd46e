import { AUDIT_RETENTION_DAYS, EVENT_RETENTION_DAYS } from "@shared/contract/constants.ts";
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

/** Small facts about a change, such as how many credits were granted; never a secret. */
export type AuditDetails = Record<string, string | number | boolean>;

/** What an administrator did, kept much longer than the events that told of it. */
export interface AuditEntryRecord {
  _id: Types.ObjectId;
  /** User name of the administrator. */
  actor: string;
  /** Name of the event that told of it. */
  action: string;
  /** User name of whom it was done to; null where it concerns nobody in particular. */
  subject: string | null;
  details: AuditDetails;
  at: Date;
}

export const auditEntrySchema = new Schema<AuditEntryRecord>(
  {
    actor: { type: String, required: true },
    action: { type: String, required: true },
    subject: { type: String, default: null },
    details: { type: Schema.Types.Mixed, required: true },
    at: { type: Date, required: true },
  },
  { versionKey: false, collection: "audit_entries", minimize: false },
);
auditEntrySchema.index({ at: -1, _id: -1 });
auditEntrySchema.index({ at: 1 }, { expireAfterSeconds: AUDIT_RETENTION_DAYS * 86_400 });
