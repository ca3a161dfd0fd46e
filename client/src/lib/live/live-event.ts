import { type EventName, envelopeSchema, eventSchemas } from "@shared/contract/events.ts";
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
export const placeSchema = envelopeSchema.pick({ stream: true, seq: true });

/** The event, or null where its name or data is not one that this client knows. */
export function parseLiveEvent(name: string, payload: object): LiveEvent | null {
  return liveEventSchema.safeParse({ ...payload, name }).data ?? null;
}
