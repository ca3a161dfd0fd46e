import { type StreamPositions, streamPositionsSchema } from "@shared/contract/account.ts";
import type { StreamName } from "@shared/contract/events.ts";
import {
  NOTIFYING_EVENTS,
  type Notification,
  notificationListSchema,
  OWN_ACCOUNT_CHANGES,
} from "@shared/contract/notifications.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api/client.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";
import { createUserStore } from "../lib/user-store.ts";

/** Read again after each event that notifies; the list has more than the events. */
export const notificationsQuery = queryOptions({
  queryKey: ["notifications"],
  queryFn: ({ signal }) =>
    api({ path: "/me/notifications", schema: notificationListSchema, signal }),
  select: ({ notifications }) => notifications,
  staleTime: Number.POSITIVE_INFINITY,
});

const ownChanges: readonly string[] = OWN_ACCOUNT_CHANGES;

export const isNotifying = (event: LiveEvent): boolean =>
  NOTIFYING_EVENTS.includes(event.name) &&
  !(event.name === "account:updated" && ownChanges.includes(event.data.reason));

/** The last event of each stream that the user has seen in this browser. */
const seenStore = createUserStore("seen-notifications", streamPositionsSchema);

export const useSeen = seenStore.useValue;

/** On a user's first visit, and for a new administrator, all that happened before counts as seen. */
export const startSeen = (username: string, current: StreamPositions): void =>
  seenStore.update(username, (seen) => ({ ...current, ...seen }));

export function markSeen(
  username: string,
  items: readonly { stream: StreamName; seq: number }[],
): void {
  seenStore.update(username, (seen = { user: 0 }) => {
    const next = { ...seen };
    for (const { stream, seq } of items) next[stream] = Math.max(seq, next[stream] ?? 0);
    return next;
  });
}

export const isUnread = ({ stream, seq }: Notification, seen: StreamPositions): boolean =>
  seq > (seen[stream] ?? seq);
