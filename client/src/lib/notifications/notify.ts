import { streamNameSchema } from "@shared/contract/events.ts";
import { update } from "idb-keyval";
import { z } from "zod";
import { playChime } from "./chime.ts";
import { useNotificationSettings } from "./notification-settings.ts";

interface BrowserNotification {
  position: EventPosition;
  /** True if a tab was in view when the event arrived, so that the page has shown it. */
  wasInView: Promise<boolean>;
  title: string;
  text: string;
  open(): void;
}

export async function notify(notification: BrowserNotification): Promise<void> {
  const { permission, off, muted } = useNotificationSettings.getState();
  if (permission !== "granted" || off) return;
  if (!(await acquireNotification(notification.position))) return;
  if (await notification.wasInView) return;
  if (show(notification) && !muted) await playChime();
}

function show({ position, title, text, open }: BrowserNotification): boolean {
  const tag = `${position.stream} ${position.seq}`;
  try {
    const shown = new Notification(title, { body: text, tag, icon: "/icon-192.png", silent: true });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
      open();
    });
    return true;
  } catch {
    // Mobile browsers only let service workers show notifications.
    useNotificationSettings.setState({ permission: "unsupported" });
    return false;
  }
}

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
