import { Schema } from "mongoose";

/** How much of one limit has been used in the running period; written by rate-limiter-flexible. */
export interface RateLimitRecord {
  /** `<limit>:<hash of who is counted>`. */
  key: string;
  points: number;
  /** End of the period. */
  expire: Date;
}

export const rateLimitSchema = new Schema<RateLimitRecord>(
  {
    key: { type: String, required: true, unique: true },
    points: { type: Number, required: true },
    expire: { type: Date, required: true },
  },
  { versionKey: false, collection: "rate_limits" },
);
rateLimitSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });
