import type { SecurityEventType, SecurityLogEntry } from "@shared/contract/security-log.ts";
import type { SecurityLogRecord } from "@shared/database/models/security-log.ts";
import { Types } from "mongoose";

/** Where a request comes from. */
export type RequestOrigin = Required<Pick<SecurityLogRecord, "address" | "device" | "requestId">>;

export interface NewSecurityLogEntry {
  type: SecurityEventType;
  user: string | null;
  /** By default the administrator whose action it is, or else `user`. */
  actor?: string | null | undefined;
  details?: SecurityLogRecord["details"];
}

export const newLogRecord = (
  { type, user, actor = user, details = {} }: NewSecurityLogEntry,
  { at, origin }: { at: Date; origin: RequestOrigin | undefined },
): SecurityLogRecord => ({ _id: new Types.ObjectId(), at, type, actor, user, ...origin, details });

/** An entry in the API and in the log of the process. */
export const presentLogEntry = (record: SecurityLogRecord): SecurityLogEntry => ({
  id: record._id.toString(),
  at: record.at.toISOString(),
  type: record.type,
  actor: record.actor,
  user: record.user,
  address: record.address ?? null,
  device: record.device ?? null,
  request_id: record.requestId ?? null,
  details: record.details,
});
