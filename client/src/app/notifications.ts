import type { StreamPositions } from "@shared/contract/account.ts";
import type { UnseenProblem } from "@shared/contract/channel-problem.ts";
import type { StreamName } from "@shared/contract/events.ts";
import {
  NOTIFYING_EVENTS,
  type Notification,
  type NotificationList,
  notificationListSchema,
  OWN_ACCOUNT_CHANGES,
} from "@shared/contract/events.ts";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { api } from "../lib/api/client.ts";
import { patchQueries, queryClient, refetch } from "../lib/query-client.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";

const queryKey = ["notifications"];

/** Read again after each event that notifies; the list has more than the events. */
export const notificationsQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) =>
    api({ path: "/me/notifications", schema: notificationListSchema, signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

const ownChanges: readonly string[] = OWN_ACCOUNT_CHANGES;

const isNotifying = (event: LiveEvent): boolean =>
  NOTIFYING_EVENTS.includes(event.name) &&
  !(event.name === "account:updated" && ownChanges.includes(event.data.reason));

/** Another tab or device of the user may have opened the list. */
export function applyNotificationEvent(event: LiveEvent): void {
  if (event.name === "notifications:seen") patchSeen(event.data);
  if (event.name === "channel-problems:seen") patchProblems(event.data.until);
  if (isNotifying(event) || event.name === "channel:failing") void refetch({ queryKey });
}

export const isUnread = ({ stream, seq }: Notification, seen: StreamPositions): boolean =>
  seq > (seen[stream] ?? seq);

export function markSeen(items: readonly { stream: StreamName; seq: number }[]): void {
  const seen = { ...(queryClient.getQueryData<NotificationList>(queryKey)?.seen ?? { user: 0 }) };
  for (const { stream, seq } of items) seen[stream] = Math.max(seq, seen[stream] ?? 0);
  saveSeen(seen);
}

/** Shown at once. If it cannot be saved, the notifications count as unread again after a reload. */
export function saveSeen(seen: StreamPositions): void {
  patchSeen(seen);
  const path = "/me/notifications/seen";
  void api({ method: "POST", path, body: seen, schema: z.undefined() }).catch(() => undefined);
}

/** Positions never decrease, in whatever order tabs report them. */
function patchSeen(next: StreamPositions): void {
  patchQueries<NotificationList>(queryKey, (list) => {
    const { user = 0, admins = next.admins } = list.seen ?? {};
    const seen = { user: Math.max(user, next.user) };
    if (admins === undefined) return { ...list, seen };
    return { ...list, seen: { ...seen, admins: Math.max(admins, next.admins ?? 0) } };
  });
}

/** Hidden at once. If it cannot be saved, they are shown again after a reload. */
export function markProblemsSeen([newest]: readonly UnseenProblem[]): void {
  if (!newest) return;
  const { at: until } = newest;
  patchProblems(until);
  const request = { method: "POST", path: "/me/channel-problems/seen", body: { until } } as const;
  void api({ ...request, schema: z.undefined() }).catch(() => undefined);
}

/** Removes the problems up to this time. */
function patchProblems(until: string): void {
  patchQueries<NotificationList>(queryKey, ({ channel_problems: problems = [], ...list }) => ({
    ...list,
    channel_problems: problems.filter(({ at }) => Date.parse(at) > Date.parse(until)),
  }));
}
