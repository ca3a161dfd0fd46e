import type { EventName } from "@shared/contract/events.ts";
import type { AuditDetails } from "./models/audit-entry.ts";

/** A document and the name of the collection that it goes into. */
export interface Insert {
  into: string;
  document: object;
}

/** Where the stream of a user stands at a change. */
export interface StreamPlace {
  /** His unfinished signals without this change. */
  ahead: number;
  /** The last number with it. */
  seq: number;
}

/** A document that is made once the change's place in a stream is known. */
export interface PlacedInsert {
  into: string;
  stream: string;
  /** What it throws calls the change off. */
  make: (place: StreamPlace) => object;
}

/** An event on its way to the log. */
export interface ToldEvent {
  stream: string;
  name: EventName;
  data: unknown;
}

/** What a change has to say when it is about to be committed. */
export interface ToldChange {
  at: Date;
  actor: string | undefined;
  requestId: string | undefined;
  inserts: (Insert | PlacedInsert)[];
  events: ToldEvent[];
  orders: { name: string; data: unknown }[];
  remarks: AuditDetails;
}
