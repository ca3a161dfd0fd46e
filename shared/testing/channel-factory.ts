import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord, DeliveryRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { ChannelSecrets } from "@shared/runtime/channel-secrets.ts";
import { Types } from "mongoose";

export const TEST_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Stores a channel that gets the user's events from now on, by default a webhook at `url`. */
export async function createChannel(
  { database, channelSecrets }: { database: Database; channelSecrets: ChannelSecrets },
  { _id: userId }: Pick<UserRecord, "_id">,
  options: string | ({ url: string } & Partial<ChannelRecord>),
): Promise<ChannelRecord> {
  const { url, ...overrides } = typeof options === "string" ? { url: options } : options;
  const user = await database.users.findById(userId).lean();
  const channel: ChannelRecord = {
    ...{ _id: new Types.ObjectId(), userId, kind: "webhook", label: "A receiver", enabled: true },
    ...{ disabledReason: null, minConfidence: 0, createdAt: new Date() },
    events: ["signal.completed", "signal.outcome", "signal.entry_left", "account.updated"],
    target: channelSecrets.seal({ kind: "webhook", url, secret: TEST_WEBHOOK_SECRET }),
    ...{ afterSeq: user?.lastEventSeq ?? 0, afterAdminSeq: null, lastOrder: 0, dueAt: null },
    ...{ leaseId: null, isWoken: false, isFailing: false, heldSince: null },
    ...overrides,
  };
  await database.channels.insertOne(channel);
  return channel;
}

/** Stores a delivery, by default of a test message that was delivered. */
export async function createDelivery(
  { channels, deliveries }: Pick<Database, "channels" | "deliveries">,
  { _id: channelId, userId }: Pick<ChannelRecord, "_id" | "userId">,
  overrides: Partial<DeliveryRecord> = {},
): Promise<DeliveryRecord> {
  const channel = await channels
    .findByIdAndUpdate(channelId, { $inc: { lastOrder: 1 } }, { returnDocument: "after" })
    .lean();
  const delivery: DeliveryRecord = {
    ...{ _id: new Types.ObjectId(), channelId, userId, order: channel?.lastOrder ?? 1 },
    ...{ type: "channel.test", eventAt: new Date(), status: "delivered", isRequested: true },
    ...{ attempts: 1, responseStatus: 200, error: null, nextAttemptAt: null },
    createdAt: new Date(),
    ...overrides,
  };
  await deliveries.insertOne(delivery);
  return delivery;
}
