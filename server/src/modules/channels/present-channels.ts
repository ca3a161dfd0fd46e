import type { UnseenProblem } from "@shared/contract/channel-problem.ts";
import {
  type Channel,
  type ChannelList,
  DELIVERIES_PER_PAGE,
  type Delivery,
  type DeliveryPage,
} from "@shared/contract/channels.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord, DeliveryRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { passedOnId } from "@shared/domain/passed-on.ts";
import { readTelegramChannel } from "@shared/domain/telegram-channel.ts";
import type { Types } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { secretsOf } from "./kinds/new-target.ts";

type PresentDeps = Pick<ServerDeps, "database" | "settings">;
type LastDelivery = Pick<DeliveryRecord, "createdAt" | "status"> | null;

export async function listChannels(
  deps: PresentDeps,
  { _id: userId }: Pick<UserRecord, "_id">,
): Promise<ChannelList> {
  const channels = await deps.database.channels
    .find({ userId })
    .sort({ createdAt: 1, _id: 1 })
    .lean();
  return {
    channels: await Promise.all(channels.map((channel) => readAndPresent(deps, channel))),
  };
}

export async function readAndPresent(deps: PresentDeps, channel: ChannelRecord): Promise<Channel> {
  const last = await deps.database.deliveries
    .findOne({ channelId: channel._id })
    .sort({ order: -1 })
    .select({ createdAt: 1, status: 1 })
    .lean();
  const presented = presentChannel(deps, channel, last);
  return (await canJoin(deps, presented)) ? { ...presented, can_join: true } : presented;
}

async function canJoin(
  { database, settings }: PresentDeps,
  { kind, linked }: Channel,
): Promise<boolean> {
  if (kind !== "telegram" || !linked || !settings.TELEGRAM_BOT_TOKEN) return false;
  return (await readTelegramChannel(database)).enabled;
}

export const presentChannel = (
  deps: Pick<ServerDeps, "settings">,
  channel: ChannelRecord,
  last: LastDelivery,
): Channel => ({
  id: channel._id.toString(),
  kind: channel.kind,
  label: channel.label,
  enabled: channel.enabled,
  events: channel.events,
  min_confidence: channel.minConfidence,
  created_at: channel.createdAt.toISOString(),
  last_delivery: last && { at: last.createdAt.toISOString(), status: last.status },
  disabled_reason: channel.disabledReason,
  ...(channel.problem && { problem: presentProblem(channel.problem) }),
  ...(channel.kind === "telegram" && { linked: channel.target !== null }),
  ...(channel.kind === "webhook" && formatOf(deps, channel)),
});

const presentProblem = ({ reason, at }: NonNullable<ChannelRecord["problem"]>) => ({
  reason,
  at: at.toISOString(),
});

/** What is wrong with the channels of a user and has not been seen, the newest first. */
export async function listUnseenProblems(
  { channels }: Database,
  { _id: userId, channelProblemsSeenAt: seenAt }: UserRecord,
): Promise<UnseenProblem[]> {
  const found = await channels
    .find({ userId, "problem.at": { $gt: seenAt ?? new Date(0) } })
    .select({ label: 1, problem: 1 })
    .sort({ "problem.at": -1 })
    .lean();
  return found.flatMap(({ _id, label, problem }) =>
    problem ? [{ channel_id: _id.toString(), label, ...presentProblem(problem) }] : [],
  );
}

/** Its owner reads and changes it. The address and the secrets are shown in no answer. */
function formatOf(deps: Pick<ServerDeps, "settings">, { target: sealed }: ChannelRecord) {
  const target = secretsOf(deps).open(sealed ?? "");
  if (target?.kind !== "webhook") return {};
  const { format = "standard", template, bot } = target;
  return {
    format,
    ...(format === "template" && { template }),
    ...(format === "3commas" && bot && { bot_uuid: bot.uuid }),
  };
}

/** @param cursor number of the last delivery of the previous page */
export async function listDeliveries(
  database: Database,
  channel: Pick<ChannelRecord, "_id" | "userId">,
  cursor: string | undefined,
): Promise<DeliveryPage> {
  const { _id: channelId } = channel;
  const found = await database.deliveries
    .find({ channelId, ...(cursor && { order: { $lt: Number(cursor) } }) })
    .sort({ order: -1 })
    .limit(DELIVERIES_PER_PAGE + 1)
    .lean();
  const page = found.slice(0, DELIVERIES_PER_PAGE);
  const hasMore = found.length > page.length;
  const labels = await passedOnLabels(database, channel, page);
  return {
    deliveries: page.map((delivery) => ({ ...presentDelivery(delivery), ...labels(delivery) })),
    next_cursor: hasMore ? String(page.at(-1)?.order) : null,
  };
}

export const presentDelivery = (delivery: DeliveryRecord): Delivery => ({
  id: delivery._id.toString(),
  event: delivery.type,
  at: delivery.createdAt.toISOString(),
  status: delivery.status,
  attempts: delivery.attempts,
  error: delivery.error,
  response_status: delivery.responseStatus,
  next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
});

/** The names of the channels that messages were passed on to and from. */
async function passedOnLabels(
  { channels, deliveries }: Database,
  { _id: channelId, userId }: Pick<ChannelRecord, "_id" | "userId">,
  page: readonly DeliveryRecord[],
): Promise<(delivery: DeliveryRecord) => Pick<Delivery, "passed_on_to" | "passed_on_from">> {
  const idOf = ({ source }: DeliveryRecord) => source && passedOnId(userId, source);
  const ids = page.flatMap((delivery) => idOf(delivery) ?? []);
  const [passed, own] = await Promise.all([
    deliveries
      .find({ _id: { $in: ids }, "passedOn.fromChannelId": channelId })
      .select({ channelId: 1 })
      .lean(),
    channels.find({ userId }).select({ label: 1 }).lean(),
  ]);
  const labels = new Map(own.map(({ _id, label }) => [_id.toString(), label]));
  const labelOf = (id: Types.ObjectId) => labels.get(id.toString()) ?? "a deleted channel";
  const targets = new Map(passed.map((each) => [each._id.toString(), labelOf(each.channelId)]));
  return (delivery) => {
    const to = targets.get(idOf(delivery)?.toString() ?? "");
    const { passedOn } = delivery;
    return {
      ...(to !== undefined && { passed_on_to: to }),
      ...(passedOn && { passed_on_from: labelOf(passedOn.fromChannelId) }),
    };
  };
}
