import type { StreamPositions } from "@shared/contract/account.ts";
import { isFilledBefore } from "@shared/contract/earlier-fill.ts";
import {
  MAX_NOTIFICATIONS,
  NOTIFYING_EVENTS,
  type NotificationList,
  notificationSchema,
  OWN_ACCOUNT_CHANGES,
} from "@shared/contract/events.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { commit } from "@shared/outbox/commit.ts";
import { type NumberedEvent, readEvents } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, readStreamHead, userStream } from "@shared/outbox/streams.ts";
import { z } from "zod";
import type { ServerDeps } from "../../server-deps.ts";
import { listUnseenProblems } from "../channels/present-channels.ts";
import { signalIdOf } from "../signals/signal-id-of.ts";

/** The last events that notified the user, from the streams that they read. Events are kept for 7 days. */
export async function listNotifications(
  { database, settings }: Pick<ServerDeps, "database" | "settings">,
  user: UserRecord,
): Promise<NotificationList> {
  const streams = [
    userStream(user._id),
    ...(readsAdminEvents(settings, user) ? [ADMINS_STREAM] : []),
  ];
  const lists = await Promise.all(streams.map((stream) => readLast(database, stream)));
  const last = lists
    .flat()
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MAX_NOTIFICATIONS);
  const signals = await findSignals(database, user, last);
  const notifications = last.flatMap(({ stream, seq, at, name, data }) => {
    const { createdAt, ...market } = signals.get(signalIdOf(data) ?? "") ?? {};
    const fill = fillSchema.safeParse(data).data;
    // It is shown with the signal.
    if (createdAt && fill && isFilledBefore(fill.filled_at, createdAt)) return [];
    const parsed = notificationSchema.safeParse({
      stream: stream === ADMINS_STREAM ? "admins" : "user",
      seq,
      name,
      at: at.toISOString(),
      data: typeof data === "object" ? { ...market, ...data } : data,
    });
    // An event of another release is left out.
    return parsed.success ? parsed.data : [];
  });
  const problems = await listUnseenProblems(database, user);
  const seen = user.seenNotifications ?? null;
  return { notifications, seen, ...(problems.length > 0 && { channel_problems: problems }) };
}

/** Remembers what the user has seen of their notifications, and says so in their other tabs and devices. */
export function markNotificationsSeen(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  { _id }: Pick<UserRecord, "_id">,
  seen: StreamPositions,
): Promise<void> {
  const stream = userStream(_id);
  const fields = Object.entries(seen).map(([name, seq]) => [`seenNotifications.${name}`, seq]);
  return commit(database, { lockKeys: stream, now }, async ({ session, addEvent }) => {
    const user = await database.users
      .findOneAndUpdate(
        { _id, $or: fields.map(([field, seq]) => ({ [`${field}`]: { $not: { $gte: seq } } })) },
        { $max: Object.fromEntries(fields) },
        { session, returnDocument: "after" },
      )
      .lean();
    if (user?.seenNotifications) addEvent(stream, "notifications:seen", user.seenNotifications);
  });
}

const EVENTS_AT_ONCE = 200;
const MAX_EVENTS = 10 * EVENTS_AT_ONCE;

async function readLast(database: Database, stream: string): Promise<NumberedEvent[]> {
  const head = await readStreamHead(database, stream);
  const last: NumberedEvent[] = [];
  for (let after = head; after > 0 && after > head - MAX_EVENTS; ) {
    after -= EVENTS_AT_ONCE;
    const range = { stream, after, limit: EVENTS_AT_ONCE, names: NOTIFYING_EVENTS };
    last.unshift(...(await readEvents(database, range)).filter(notifies));
    if (last.length >= MAX_NOTIFICATIONS) break;
  }
  return last.slice(-MAX_NOTIFICATIONS);
}

const reasonSchema = z.object({ reason: z.enum(OWN_ACCOUNT_CHANGES) });

const notifies = ({ data }: NumberedEvent): boolean => !reasonSchema.safeParse(data).success;

const fillSchema = z.object({ filled_at: z.iso.datetime() });

/** The signals that events are of, which some name by id only. */
async function findSignals(database: Database, user: UserRecord, events: readonly NumberedEvent[]) {
  const ids = events.flatMap(({ data }) => signalIdOf(data) ?? []);
  const signals = await database.signals
    .find({ _id: { $in: ids }, userId: user._id })
    .select({ symbol: 1, timeframe: 1, createdAt: 1 })
    .lean();
  return new Map(
    signals.map(({ _id, symbol, timeframe, createdAt }) => [
      _id.toString(),
      { symbol, timeframe, createdAt },
    ]),
  );
}
