import { streamNameSchema } from "@shared/contract/events.ts";
import { z } from "zod";

const toldSchema = z.object({
  /** Whose streams are counted. */
  username: z.string(),
  /** Number of the last event of each stream that somebody was notified of. */
  seqs: z.partialRecord(streamNameSchema, z.number()),
});
export type Told = z.infer<typeof toldSchema>;

/** An event, as far as notifying of it goes. */
export interface NoticePlace {
  username: string;
  stream: z.infer<typeof streamNameSchema>;
  seq: number;
}

/** What is known after one more event; null if that, or a later one, has been told of. */
export function toldAfter(told: Told | null, { username, stream, seq }: NoticePlace): Told | null {
  const seqs = told?.username === username ? told.seqs : {};
  if (seq <= (seqs[stream] ?? 0)) return null;
  return { username, seqs: { ...seqs, [stream]: seq } };
}

/** What a tab has written down; null for anything else. */
export function parseTold(text: string | null): Told | null {
  if (text === null) return null;
  try {
    return toldSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
