import { AUDIT_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { Schema, type Types } from "mongoose";

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
