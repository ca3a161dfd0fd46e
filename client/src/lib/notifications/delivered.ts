import { streamNameSchema } from "@shared/contract/events.ts";
import { update } from "idb-keyval";
import { z } from "zod";

const KEY = "notified-events";

const toldSchema = z.object({
  /** The user whose streams are counted. */
  username: z.string(),
  /** For each stream, the number of the last event that a tab took on itself to notify of. */
  seqs: z.partialRecord(streamNameSchema, z.number()),
});
export type Delivered = z.infer<typeof toldSchema>;

/** An event, as far as notifying of it goes. */
export interface EventPosition {
  username: string;
  stream: z.infer<typeof streamNameSchema>;
  seq: number;
}

/**
 * Whether this tab is the first to ask for the event.
 *
 * A transaction of IndexedDB decides, because its writes are in order across tabs. A tab may read a value of
 * `localStorage` that another tab has replaced already, even under a lock.
 */
export async function claimNotice(place: EventPosition): Promise<boolean> {
  let isFirst = false;
  await update<unknown>(KEY, (stored) => {
    const told = toldSchema.safeParse(stored).data ?? null;
    const next = markDelivered(told, place);
    isFirst = next !== null;
    return next ?? told;
  });
  return isFirst;
}

/** What is stored after one more event; null if that event, or a later one, was claimed before. */
export function markDelivered(
  told: Delivered | null,
  { username, stream, seq }: EventPosition,
): Delivered | null {
  const seqs = told?.username === username ? told.seqs : {};
  if (seq <= (seqs[stream] ?? 0)) return null;
  return { username, seqs: { ...seqs, [stream]: seq } };
}
