import { EVENT_RETENTION_DAYS } from "@shared/contract/constants.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** An outbox event. Instructions to the servers (`session:ended`) have no sequence number. */
export interface EventRecord {
  _id: Types.ObjectId;
  /** `user:<id>`, `admins`, `control` for instructions to the servers, or `several` with `recipients`. */
  stream: string;
  seq?: number;
  name: string;
  /** What the data of all recipients have in common, if there are several. */
  data: unknown;
  /** The event in the stream of each user, with the rest of its data. */
  recipients?: { stream: string; seq: number; data?: unknown }[];
  requestId?: string;
  actor?: string;
  at: Date;
}

const eventSchema = recordSchema<EventRecord>("events");
eventSchema.index(
  { stream: 1, seq: 1 },
  { unique: true, partialFilterExpression: { seq: { $exists: true } } },
);
eventSchema.index(
  { "recipients.stream": 1, "recipients.seq": 1 },
  { unique: true, partialFilterExpression: { recipients: { $exists: true } } },
);
eventSchema.index({ at: 1 }, { expireAfterSeconds: EVENT_RETENTION_DAYS * 86_400 });

/** The last sequence number of a stream that several users share. That of a user's own stream is on the user. */
interface StreamHeadRecord {
  _id: string;
  seq: number;
}

const streamHeadSchema = recordSchema<StreamHeadRecord>("stream_heads", { _id: String });

export const eventModels = (connection: Connection) => ({
  events: modelOf(connection, eventSchema),
  streamHeads: modelOf(connection, streamHeadSchema),
});
