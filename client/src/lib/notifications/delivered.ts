import { streamNameSchema } from "@shared/contract/events.ts";
import { update } from "idb-keyval";
import { z } from "zod";

const KEY = "notified-events";

const deliveredSchema = z.object({
  username: z.string(),
  /** For each stream, the number of the last event that a tab has notified of. */
  seqs: z.partialRecord(streamNameSchema, z.number()),
});
export type Delivered = z.infer<typeof deliveredSchema>;

export interface EventPosition {
  username: string;
  stream: z.infer<typeof streamNameSchema>;
  seq: number;
}

/** True in the first tab that asks. `localStorage` may be stale even under a lock, an IndexedDB transaction is not. */
export async function acquireNotification(position: EventPosition): Promise<boolean> {
  let isFirst = false;
  await update<unknown>(KEY, (stored) => {
    const delivered = deliveredSchema.safeParse(stored).data ?? null;
    const next = markDelivered(delivered, position);
    isFirst = next !== null;
    return next ?? delivered;
  });
  return isFirst;
}

/** The value to store for one more event; null if it, or a later one, was delivered before. */
export function markDelivered(
  delivered: Delivered | null,
  { username, stream, seq }: EventPosition,
): Delivered | null {
  const seqs = delivered?.username === username ? delivered.seqs : {};
  if (seq <= (seqs[stream] ?? 0)) return null;
  return { username, seqs: { ...seqs, [stream]: seq } };
}
