import { SECURITY_LOG_DAYS } from "@shared/contract/constants.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** An entry of the security log. It is never changed, and is deleted by its age alone. */
export interface SecurityLogRecord {
  _id: Types.ObjectId;
  at: Date;
  type: string;
  /** Username of who did it; null if it is not known. */
  actor: string | null;
  /** Username of the user concerned; null if there is none, or it is not known. */
  user: string | null;
  address?: string;
  device?: string;
  requestId?: string;
  /** Such as how many credits were granted. Never a secret. */
  details: Record<string, string | number | boolean>;
}

/** Compares usernames without regard to case. */
export const USERNAME_COLLATION = { locale: "en", strength: 2 } as const;

const securityLogSchema = recordSchema<SecurityLogRecord>("security_log");
securityLogSchema.index({ at: -1, _id: -1 });
securityLogSchema.index({ type: 1, at: -1, _id: -1 });
securityLogSchema.index({ user: 1, at: -1, _id: -1 }, { collation: USERNAME_COLLATION });
securityLogSchema.index({ actor: 1, at: -1, _id: -1 }, { collation: USERNAME_COLLATION });
securityLogSchema.index({ at: 1 }, { expireAfterSeconds: SECURITY_LOG_DAYS * 86_400 });

const refuse = () => {
  throw new Error("The security log is append-only.");
};
securityLogSchema.pre(/^(update|replace|delete|findOneAnd|save)/, refuse);
securityLogSchema.pre("bulkWrite", refuse);

export const securityLogModels = (connection: Connection) => ({
  securityLog: modelOf(connection, securityLogSchema),
});
