import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { envelopeSchema, namedEvents, type StreamName } from "@shared/contract/events.ts";
import type { z } from "zod";

const liveEventSchema = namedEvents(eventSchemas);

/** An event of the contract, with its name. */
export type LiveEvent = z.infer<typeof liveEventSchema>;

/** Read before the data of an event, which a newer server may have changed. */
export const positionSchema = envelopeSchema.pick({ stream: true, seq: true });

/** The event; null if its name or data is unknown to this client. */
export function parseLiveEvent(name: string, payload: unknown): LiveEvent | null {
  const envelope = typeof payload === "object" ? payload : {};
  return liveEventSchema.safeParse({ ...envelope, name }).data ?? null;
}

/** Number of the last applied event of each stream. */
export type StreamPositions = Partial<Record<StreamName, number>>;

type EventAction = "apply" | "ignore" | "gap";

/** Streams count without gaps, so only the next number is applied. A new stream starts at any number. */
export function classifyEvent(
  positions: StreamPositions,
  event: { stream: StreamName; seq: number },
): EventAction {
  const last = positions[event.stream];
  if (last === undefined || event.seq === last + 1) return "apply";
  return event.seq <= last ? "ignore" : "gap";
}

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();

/** Calls `listener` after each event has been applied. Returns a function that stops it. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notifyListeners(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}
