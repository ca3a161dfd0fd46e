import type { EventData, EventName } from "./event-data.ts";

/** What the texts of events leave to those who show them. */
export interface Wording {
  price(value: number): string;
  usd(value: number): string;
  /** A signal whose market is not known, in a title. */
  unknownSignal: string;
}

export interface EventText {
  title: string;
  text: string;
  /** Of the page about it, and the words of a link to it. */
  path: string;
  button: string;
}

/**
 * What is known of an event beside its data. The texts have one wording, which screens, pushes, emails, Telegram and Discord
 * show. Pushes may lack fields that did not fit.
 */
export interface EventEntry<Name extends EventName> {
  /** Whose stream has it. */
  audience: "user" | "admins";
  /** Absent if it only updates what is shown. */
  describe?(data: EventData<Name>, wording: Wording): EventText;
  /** True if it is kept in the list of notifications. */
  isNotified?: true;
  /** Whether screens that do not show it by themselves say it in a toast. */
  isToasted?(data: EventData<Name>): boolean;
  /** Absent if channels do not get it. */
  channel?: {
    /** Its name there: `type` of webhooks. */
    event: string;
    /** Whether new channels get it. */
    isDefault: boolean;
    /** When it is sent. */
    when: string;
    /** Several of them. */
    plural: string;
  };
}

/** An entry whose data has been checked against its name. */
interface CheckedEntry extends Pick<EventEntry<EventName>, "audience"> {
  describe?(data: object, wording: Wording): EventText;
  isToasted?(data: object): boolean;
}
export type CheckedEntries = Readonly<Record<string, CheckedEntry>>;
