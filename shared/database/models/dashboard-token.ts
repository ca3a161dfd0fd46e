import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** A one-time ticket opens the queue dashboard, which has a session of its own from then on. */
export type DashboardTokenKind = "ticket" | "session";

/** Access to the queue dashboard, whose pages cannot send the token of the administrator's session. */
export interface DashboardTokenRecord {
  /** SHA-256 in hex; the secret itself is only in the address or the cookie. */
  _id: string;
  kind: DashboardTokenKind;
  userId: Types.ObjectId;
  /** The session that it was created in and ends with. */
  sessionId: string;
  expiresAt: Date;
}

const dashboardTokenSchema = recordSchema<DashboardTokenRecord>("dashboard_tokens", {
  _id: String,
  userId: ObjectId,
});
dashboardTokenSchema.index({ userId: 1 });
dashboardTokenSchema.index({ sessionId: 1 });
dashboardTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const dashboardTokenModels = (connection: Connection) => ({
  dashboardTokens: modelOf(connection, dashboardTokenSchema),
});
