import { z } from "zod";
import { MINUTE_MS } from "./constants.ts";

const EVENT_IMPACTS = ["High", "Medium", "Low", "Holiday"] as const;

/** A scheduled release or speech that moves markets of its currency, or a bank holiday. */
export const economicEventSchema = z
  .object({
    title: z.string(),
    currency: z.string(),
    at: z.iso.datetime(),
    impact: z.enum(EVENT_IMPACTS),
  })
  .meta({ id: "EconomicEvent" });
export type EconomicEvent = z.infer<typeof economicEventSchema>;

/** `events` is null while the calendar is not available. */
export const economicEventListSchema = z
  .object({ events: z.array(economicEventSchema).nullable() })
  .meta({ id: "EconomicEventList" });
export type EconomicEventList = z.infer<typeof economicEventListSchema>;

/** Around a `High` event, prices jump: no trade is made then without a warning. */
export const EVENT_WINDOW = { beforeMs: 30 * MINUTE_MS, afterMs: 15 * MINUTE_MS } as const;

/** The `High` events whose window contains `at`, Unix milliseconds: from 30 minutes before until 15 minutes after. */
export function eventsInWindow(events: readonly EconomicEvent[], at: number): EconomicEvent[] {
  return events.filter(({ impact, at: eventAt }) => {
    const time = Date.parse(eventAt);
    const { beforeMs, afterMs } = EVENT_WINDOW;
    return impact === "High" && at >= time - beforeMs && at < time + afterMs;
  });
}

/** When the next window of a `High` event starts after `at`; null without one. */
export function nextWindowStart(events: readonly EconomicEvent[], at: number): number | null {
  const starts = events
    .filter(({ impact }) => impact === "High")
    .map((event) => Date.parse(event.at) - EVENT_WINDOW.beforeMs)
    .filter((start) => start > at);
  return starts.length > 0 ? Math.min(...starts) : null;
}
