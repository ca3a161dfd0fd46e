import {
  type EventName,
  envelopeSchema,
  eventSchemas,
  type StreamName,
} from "@shared/contract/events.ts";
import { z } from "zod";

const event = <Name extends EventName>(name: Name) =>
  envelopeSchema.extend({ name: z.literal(name), data: eventSchemas[name] });

const liveEventSchema = z.discriminatedUnion("name", [
  event("signal:queued"),
  event("signal:started"),
  event("signal:completed"),
  event("signal:failed"),
  event("signal:outcome"),
  event("signal:entry-left"),
  event("account:updated"),
  event("proof:deleted"),
  event("history:cleared"),
  event("user:registered"),
  event("user:updated"),
  event("user:deleted"),
  event("proof:submitted"),
  event("chart-image:added"),
  event("chart-image:deleted"),
  event("payment-details:updated"),
  event("queue:changed"),
  event("budget:reached"),
]);

/** A numbered event of the contract, with its name. */
export type LiveEvent = z.infer<typeof liveEventSchema>;

/** Place of an event in its stream; read before its data, which a newer server may have changed. */
export const positionSchema = envelopeSchema.pick({ stream: true, seq: true });

/** The event, or null where its name or data is not one that this client knows. */
export function parseLiveEvent(name: string, payload: object): LiveEvent | null {
  return liveEventSchema.safeParse({ ...payload, name }).data ?? null;
}

/** Number of the last event applied, by stream. */
export type StreamPositions = Partial<Record<StreamName, number>>;

/** What to do with an event that came in. */
type EventAction = "apply" | "ignore" | "gap";

/**
 * Streams count without gaps: only the next number is applied, an old one has been applied before,
 * and a later one means that something is missing. A stream not heard of yet starts where it starts.
 */
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

/** Calls `listener` after each event has been applied; returns the function that stops it. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notifyListeners(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}
