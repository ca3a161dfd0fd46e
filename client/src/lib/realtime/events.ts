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
  event("signal:filled"),
  event("signal:outcome"),
  event("signal:entry-left"),
  event("account:updated"),
  event("subscription:expiring"),
  event("channel:disabled"),
  event("proof:deleted"),
  event("history:cleared"),
  event("notifications:seen"),
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
