import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** A task that one worker does for all; `_id` is its name. Times are by the clock of the database. */
interface LeaseRecord {
  _id: string;
  owner: string;
  expiresAt: Date;
}

const RETENTION_SECONDS = 60;

const leaseSchema = recordSchema<LeaseRecord>("leases", { _id: String });
leaseSchema.index({ expiresAt: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

export const leaseModels = (connection: Connection) => ({
  leases: modelOf(connection, leaseSchema),
});
