import { ACCOUNT_EVENTS } from "./account-events.ts";
import { ADMIN_EVENTS } from "./admin-events.ts";
import { CHANNEL_EVENTS } from "./channel-events.ts";
import type { EventName } from "./event-data.ts";
import type { CheckedEntries, EventEntry, EventText, Wording } from "./event-entry.ts";
import { SIGNAL_EVENTS } from "./signal-events.ts";

/** Every numbered event: whom it is for, what it says, and where it is shown and sent. */
export const EVENTS = {
  ...SIGNAL_EVENTS,
  ...ACCOUNT_EVENTS,
  ...CHANNEL_EVENTS,
  ...ADMIN_EVENTS,
} as const satisfies { [Name in EventName]: EventEntry<Name> };

type Entries = typeof EVENTS;

/** Events of which users are notified. */
export type NotifiedName = {
  [Name in EventName]: Entries[Name] extends { isNotified: true } ? Name : never;
}[EventName];

const CHECKED: CheckedEntries = EVENTS;

interface ReceivedEvent {
  name: string;
  data: object;
}

/** What an event says; null if it only updates what is shown. */
export const describeEvent = ({ name, data }: ReceivedEvent, wording: Wording): EventText | null =>
  CHECKED[name]?.describe?.(data, wording) ?? null;

/** Whether screens that do not show an event by themselves say it in a toast. */
export const isToasted = ({ name, data }: ReceivedEvent): boolean =>
  CHECKED[name]?.isToasted?.(data) ?? false;

/** The events that channels get: their names, and what is known of them for channels. */
export const CHANNEL_ENTRIES = Object.entries(EVENTS).flatMap(([name, entry]) =>
  "channel" in entry ? [{ name, audience: entry.audience, ...entry.channel }] : [],
);
