import { channelKindSchema } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { ChannelTotals } from "@shared/contract/channels.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import { DELIVERY_CONTROL_ID } from "@shared/database/models/channel.ts";
import { commit } from "@shared/outbox/commit.ts";
import { z } from "zod";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

const MAX_FAILING = 50;

const channelCountsSchema = z.array(
  z.object({ _id: channelKindSchema, channels: z.number(), enabled: z.number() }),
);
const deliveryCountsSchema = z.array(
  z.object({
    _id: channelKindSchema,
    delivered: z.number(),
    retrying: z.number(),
    failed: z.number(),
    suppressed: z.number(),
  }),
);

export async function readTotals(database: Database, now: Date): Promise<ChannelTotals> {
  const [control, channels, deliveries, failing] = await Promise.all([
    database.deliveryControl.findById(DELIVERY_CONTROL_ID).lean(),
    countChannels(database),
    countDeliveries(database, new Date(now.getTime() - DAY_MS)),
    listFailing(database),
  ]);
  const none = { delivered: 0, retrying: 0, failed: 0, suppressed: 0 };
  return {
    paused: control?.paused ?? false,
    totals: channelKindSchema.options.map((kind) => {
      const counts = channels.find(({ _id }) => _id === kind);
      const { _id: _kind, ...byStatus } = deliveries.find(({ _id }) => _id === kind) ?? {
        _id: kind,
        ...none,
      };
      return { kind, channels: counts?.channels ?? 0, enabled: counts?.enabled ?? 0, ...byStatus };
    }),
    failing,
  };
}

const countChannels = async ({ channels }: Database) =>
  channelCountsSchema.parse(
    await channels.aggregate([
      {
        $group: {
          _id: "$kind",
          channels: { $sum: 1 },
          enabled: { $sum: { $cond: ["$enabled", 1, 0] } },
        },
      },
    ]),
  );

async function countDeliveries({ deliveries }: Database, since: Date) {
  const count = (status: string) => ({ $sum: { $cond: [{ $eq: ["$status", status] }, 1, 0] } });
  const counted = await deliveries.aggregate([
    { $match: { createdAt: { $gte: since } } },
    { $lookup: { from: "channels", localField: "channelId", foreignField: "_id", as: "channel" } },
    {
      $group: {
        _id: { $first: "$channel.kind" },
        delivered: count("delivered"),
        retrying: count("retrying"),
        failed: count("failed"),
        suppressed: count("suppressed"),
      },
    },
  ]);
  return deliveryCountsSchema.parse(counted);
}

async function listFailing(database: Database): Promise<ChannelTotals["failing"]> {
  const retried = await database.deliveries
    .find({ status: "retrying", attempts: { $gt: 0 } })
    .sort({ createdAt: 1 })
    .limit(MAX_FAILING)
    .lean();
  const [channels, users] = await Promise.all([
    database.channels.find({ _id: { $in: retried.map(({ channelId }) => channelId) } }).lean(),
    database.users
      .find({ _id: { $in: retried.map(({ userId }) => userId) } })
      .select({ username: 1 })
      .lean(),
  ]);
  return retried.flatMap((delivery) => {
    const channel = channels.find(({ _id }) => _id.equals(delivery.channelId));
    const user = users.find(({ _id }) => _id.equals(delivery.userId));
    if (!channel || !user) return [];
    return [
      {
        channel_id: channel._id.toString(),
        username: user.username,
        kind: channel.kind,
        label: channel.label,
        since: delivery.createdAt.toISOString(),
        attempts: delivery.attempts,
        response_status: delivery.responseStatus,
        error: delivery.error,
        next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
      },
    ];
  });
}

/** Workers stop or start to deliver within seconds. */
export async function setPaused(
  { database, now }: ServerDeps,
  { user, origin }: AuthenticatedSession,
  paused: boolean,
): Promise<void> {
  const options = { lockKeys: "delivery-control", actor: user.username, now, origin };
  await commit(database, options, async (uow) => {
    await database.deliveryControl.updateOne(
      { _id: DELIVERY_CONTROL_ID },
      { $set: { paused } },
      { upsert: true, session: uow.session },
    );
    uow.log({ type: paused ? "channels:paused" : "channels:resumed", user: null });
  });
}
