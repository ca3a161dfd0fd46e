import type { StreamName } from "@shared/contract/events.ts";

/** Number of the last event applied, by stream. */
export type StreamPositions = Partial<Record<StreamName, number>>;

/** What to do with an event that came in. */
export type Verdict = "apply" | "ignore" | "gap";

/**
 * Streams count without gaps: only the next number is applied, an old one has been applied before,
 * and a later one means that something is missing. A stream not heard of yet starts where it starts.
 */
export function judgeEvent(
  positions: StreamPositions,
  event: { stream: StreamName; seq: number },
): Verdict {
  const last = positions[event.stream];
  if (last === undefined || event.seq === last + 1) return "apply";
  return event.seq <= last ? "ignore" : "gap";
}
