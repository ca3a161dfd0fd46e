import {
  ADMIN_CHANNEL_EVENTS,
  type ChannelEvent,
  type CreatedChannel,
  DEFAULT_CHANNEL_EVENTS,
  MAX_CHANNELS,
  type NewChannel,
} from "@shared/contract/channels.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Types } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOfNewChannel } from "../accounts/account-emails.ts";
import { CHANNEL_KINDS } from "./kinds/channel-kinds.ts";
import { presentChannel } from "./present-channels.ts";

/** Adds a channel, to which events from now on are sent. */
export async function addChannel(
  deps: ServerDeps,
  { user, sessionId }: AuthenticatedSession,
  input: NewChannel,
): Promise<CreatedChannel> {
  const { database, now } = deps;
  const { _id: userId } = user;
  const events = input.events ?? defaultEvents(user);
  assertOwnEvents(user, events);
  const { shown, notice, ...target } = await CHANNEL_KINDS[input.kind](deps, input, user);
  const { kind, label = target.label, min_confidence: minConfidence } = input;
  const channel = await commit(database, { lockKeys: userStream(userId), now }, async (uow) => {
    const lastEventSeq = await lockUser(database, uow, user, sessionId);
    await assertFreePlace(database, uow, { userId, ...target });
    const added: ChannelRecord = {
      _id: new Types.ObjectId(),
      userId,
      kind,
      ...target,
      label,
      events,
      minConfidence,
      enabled: target.target !== null,
      disabledReason: null,
      createdAt: uow.at,
      afterSeq: lastEventSeq,
      afterAdminSeq: await adminHead(deps, uow, user),
      lastOrder: 0,
      dueAt: null,
      leaseId: null,
      isWoken: false,
      isFailing: false,
      heldSince: null,
    };
    uow.deferInsert(database.channels, added);
    return added;
  });
  notifyOfNewChannel(deps, user, notice);
  return { ...presentChannel(deps, channel, null), ...shown };
}

const defaultEvents = ({ role }: Pick<UserRecord, "role">): ChannelEvent[] => [
  ...DEFAULT_CHANNEL_EVENTS,
  ...(role === "admin" ? ADMIN_CHANNEL_EVENTS : []),
];

export function assertOwnEvents(
  { role }: Pick<UserRecord, "role">,
  events: readonly ChannelEvent[],
): void {
  const foreign = ADMIN_CHANNEL_EVENTS.find((event) => events.includes(event));
  if (role === "admin" || !foreign) return;
  const message = `Only administrators get ${foreign}.`;
  throw new AppError("invalid-input", message, { errors: [{ field: "events", message }] });
}

/**
 * Two additions at the same time conflict, and the later one sees the channel of the other. So does a change of the password:
 * a session that it ends can turn nothing on any more.
 * @returns the last event
 */
export async function lockUser(
  { users }: Database,
  { session }: UnitOfWork,
  { _id }: Pick<UserRecord, "_id">,
  sessionId: string,
): Promise<number> {
  const user = await users
    .findOneAndUpdate(
      { _id, "sessions.id": sessionId },
      { $inc: { channelsVersion: 1 } },
      { session, returnDocument: "after", projection: { lastEventSeq: 1 } },
    )
    .lean();
  if (!user) throw unauthenticated();
  return user.lastEventSeq;
}

/** The last event of the administrators' stream; null for who does not read it. */
export async function adminHead(
  { database, settings }: Pick<ServerDeps, "database" | "settings">,
  { session }: UnitOfWork,
  user: Pick<UserRecord, "role" | "twoFactor">,
): Promise<number | null> {
  if (!readsAdminEvents(settings, user)) return null;
  const head = await database.streamHeads.findById(ADMINS_STREAM).session(session).lean();
  return head?.seq ?? 0;
}

async function assertFreePlace(
  database: Database,
  { session, at }: UnitOfWork,
  { userId, uniqueKey }: Pick<ChannelRecord, "userId" | "uniqueKey">,
): Promise<void> {
  // A Telegram link that was not opened in time gives way to a new one, as does a channel whose chat was moved.
  const isOpen = { "link.expiresAt": { $gt: at } };
  await database.channels.deleteOne({ userId, target: null, $nor: [isOpen] }, { session });
  if (uniqueKey && (await database.channels.exists({ userId, uniqueKey }).session(session))) {
    throw new AppError("already-exists", "You have this channel already.");
  }
  if ((await database.channels.countDocuments({ userId }, { session })) < MAX_CHANNELS) return;
  throw new AppError("too-many-channels", `You can have ${MAX_CHANNELS} channels.`);
}
