import type { EconomicEvent } from "@shared/contract/economic-events.ts";
import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

export const ECONOMIC_CALENDAR_ID = "events";

/** The scheduled events as the workers last read them; one document. */
export interface EconomicCalendarRecord {
  _id: typeof ECONOMIC_CALENDAR_ID;
  /** SHA-256 of the address, which may contain a key. */
  addressSha256: string;
  /** In order of their time. */
  events: EconomicEvent[];
  readAt: Date;
}

const economicCalendarSchema = recordSchema<EconomicCalendarRecord>("economic_calendar", {
  _id: String,
});

export const economicCalendarModels = (connection: Connection) => ({
  economicCalendar: modelOf(connection, economicCalendarSchema),
});
