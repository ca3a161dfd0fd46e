import type { Database } from "@shared/node/database.ts";
import { readHeads } from "@shared/outbox/streams.ts";
import type { EventLogReader } from "./stream-cursor.ts";

/** Reads the event log from the database. */
export function createEventLogReader(database: Database): EventLogReader {
  return {
    async readAfter({ stream, seq, limit }) {
      const events = await database.events
        .find({ stream, seq: { $gt: seq } })
        .sort({ seq: 1 })
        .limit(limit)
        .lean();
      return events.flatMap((event) =>
        event.seq === undefined ? [] : [{ ...event, seq: event.seq }],
      );
    },
    async head(stream) {
      const [head = 0] = await readHeads(database, [stream]);
      return head;
    },
  };
}
