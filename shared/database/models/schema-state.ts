import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

export const SCHEMA_STATE_ID = "schema";

/** The form of the stored data; one document. */
export interface SchemaStateRecord {
  _id: typeof SCHEMA_STATE_ID;
  /** Of the last migration; absent while the first one runs. */
  version?: number;
  /** Until then, one process migrates. By the clock of the database. */
  claimedUntil?: Date;
}

const schemaStateSchema = recordSchema<SchemaStateRecord>("schema_state", { _id: String });

export const schemaStateModels = (connection: Connection) => ({
  schemaStates: modelOf(connection, schemaStateSchema),
});
