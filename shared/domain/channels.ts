import type { ChannelDisabledReason } from "@shared/contract/channels.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { ClientSession, QueryFilter } from "mongoose";

/**
 * Makes channels due. One that is leased becomes due when it is released.
 * @param options.urgent also those that wait for a time, such as that of a retry
 */
export async function wakeChannels(
  database: Database,
  filter: QueryFilter<ChannelRecord>,
  { at, urgent = false, session }: { at: Date; urgent?: boolean; session?: ClientSession },
): Promise<void> {
  const waits = urgent ? {} : { $or: [{ dueAt: null }, { leaseId: { $ne: null } }] };
  const isLeased = { $ne: ["$leaseId", null] };
  await database.channels.updateMany(
    { $and: [filter, waits] },
    [{ $set: { isWoken: isLeased, dueAt: { $cond: [isLeased, "$dueAt", at] } } }],
    { updatePipeline: true, ...(session && { session }) },
  );
}

/** What is not sent any more when a channel is turned off. Tests and repeated messages are. */
export async function suppressOpenDeliveries(
  { deliveries }: Database,
  { session }: Pick<UnitOfWork, "session">,
  { _id: channelId }: Pick<ChannelRecord, "_id">,
): Promise<void> {
  await deliveries.updateMany(
    { channelId, status: "retrying", isRequested: false },
    { $set: { status: "suppressed", nextAttemptAt: null } },
    { session },
  );
}

/**
 * Ends what a stolen session may have left: the channels of a user other than email are turned off, and get nothing more that
 * waits. A Telegram link that was not opened is removed.
 */
export async function disableOtherChannels(
  database: Database,
  uow: UnitOfWork,
  { _id: userId }: Pick<UserRecord, "_id">,
): Promise<void> {
  const { session } = uow;
  const others = { userId, kind: { $ne: "email" } } as const;
  await database.channels.deleteMany({ ...others, target: null }, { session });
  const channels = await database.channels.find(others).session(session).lean();
  for (const channel of channels) {
    await disableChannel(database, uow, channel, "password-changed");
  }
  await database.deliveries.updateMany(
    { channelId: { $in: channels.map(({ _id }) => _id) }, status: "retrying" },
    { $set: { status: "suppressed", nextAttemptAt: null } },
    { session },
  );
}

/** Turns a channel off, and notifies its user. Nothing happens if it is off. */
export async function disableChannel(
  database: Database,
  uow: UnitOfWork,
  { _id }: Pick<ChannelRecord, "_id">,
  reason: ChannelDisabledReason,
): Promise<void> {
  const { session } = uow;
  const disabled = await database.channels
    .findOneAndUpdate(
      { _id, enabled: true },
      { $set: { enabled: false, disabledReason: reason, problem: { reason, at: uow.at } } },
      { session },
    )
    .lean();
  if (!disabled) return;
  await suppressOpenDeliveries(database, uow, disabled);
  const { userId, kind } = disabled;
  uow.addEvent(userStream(userId), "channel:disabled", {
    channel_id: _id.toString(),
    kind,
    reason,
  });
}
