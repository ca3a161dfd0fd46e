import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

interface RateLimitRecord {
  /** `<limit>:<hash of the client>`. */
  key: string;
  points: number;
  expire: Date;
}

const rateLimitSchema = recordSchema<RateLimitRecord>("rate_limits");
rateLimitSchema.index({ key: 1 }, { unique: true });
rateLimitSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });

export const rateLimitModels = (connection: Connection) => ({
  rateLimits: modelOf(connection, rateLimitSchema),
});
