import { SECRET_OVERLAP_HOURS } from "@shared/contract/channel-kinds/webhook.ts";
import type {
  ChannelChange,
  Delivery,
  QuietHoursSetting,
  RotatedSecret,
} from "@shared/contract/channels.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord, DeliveryRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { disableChannel, suppressOpenDeliveries, wakeChannels } from "@shared/domain/channels.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { readEvents } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Types } from "mongoose";
import { invalidToken } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { adminHead, assertOwnEvents, lockUser } from "./add-channel.ts";
import { invalidField, secretsOf } from "./kinds/new-target.ts";
import { newWebhookSecret } from "./kinds/webhook.ts";
import { changedFormat, changesFormat } from "./kinds/webhook-format.ts";
import { presentDelivery } from "./present-channels.ts";

/** @throws AppError not-found, also for a channel of another user */
export async function findChannel(
  { channels }: Database,
  { _id: userId }: UserRecord,
  id: string,
): Promise<ChannelRecord> {
  const channel = isId(id) && (await channels.findOne({ _id: id, userId }).lean());
  if (!channel) throw channelNotFound();
  return channel;
}

const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

const channelNotFound = () => new AppError("not-found", "There is no such channel.");

export async function changeChannel(
  deps: ServerDeps,
  session: AuthenticatedSession,
  id: string,
  change: ChannelChange,
): Promise<ChannelRecord> {
  const { database, now } = deps;
  const { user } = session;
  const { _id } = await findChannel(database, user, id);
  if (change.events) assertOwnEvents(user, change.events);
  const lockKeys = [lockKeyOf(_id), userStream(user._id)];
  return commit(database, { lockKeys, now }, async (uow) => {
    const channel = await database.channels.findById(_id).session(uow.session).lean();
    if (!channel) throw channelNotFound();
    const { enabled = channel.enabled, events = channel.events, label = channel.label } = change;
    const { min_confidence: minConfidence = channel.minConfidence } = change;
    const isTurnedOn = enabled && !channel.enabled;
    if (isTurnedOn) assertLinked(channel);
    if (!enabled) await suppressOpenDeliveries(database, uow, channel);
    const start = isTurnedOn ? await startFromNow(deps, uow, session) : {};
    const target = changesFormat(change) ? withFormat(deps, channel, change) : channel.target;
    const set = { enabled, events, label, minConfidence, target, ...start };
    await database.channels.updateOne({ _id }, { $set: set }, { session: uow.session });
    return { ...channel, ...set };
  });
}

/** @throws AppError if the channel is no webhook, or its format lacks something */
function withFormat(deps: ServerDeps, channel: ChannelRecord, change: ChannelChange): string {
  const secrets = secretsOf(deps);
  const target = secrets.open(channel.target ?? "");
  if (target?.kind !== "webhook") throw invalidField("format", "Only a webhook has a format.");
  return secrets.seal({ ...target, ...changedFormat(target, change) });
}

/** Events of the time in which the channel was off are not sent. */
async function startFromNow(
  deps: ServerDeps,
  uow: UnitOfWork,
  { user, sessionId }: AuthenticatedSession,
) {
  return {
    afterSeq: await lockUser(deps.database, uow, user, sessionId),
    afterAdminSeq: await adminHead(deps, uow, user),
    disabledReason: null,
    problem: null,
    heldSince: null,
    onSince: uow.at,
  };
}

const lockKeyOf = (channelId: Types.ObjectId): string => `channel:${channelId}`;

function assertLinked({ target }: Pick<ChannelRecord, "target">): void {
  if (target !== null) return;
  throw new AppError("channel-unavailable", "Open the link in Telegram first.");
}

export async function deleteChannel(deps: ServerDeps, user: UserRecord, id: string): Promise<void> {
  const { database, now } = deps;
  const { _id } = await findChannel(database, user, id);
  await commit(database, { lockKeys: lockKeyOf(_id), now }, async ({ session }) => {
    await database.channels.deleteOne({ _id }, { session });
    await database.deliveries.deleteMany({ channelId: _id }, { session });
  });
}

export async function testChannel(
  deps: ServerDeps,
  user: UserRecord,
  id: string,
): Promise<Delivery> {
  const { database, now } = deps;
  const found = await findChannel(database, user, id);
  assertLinked(found);
  return commit(database, { lockKeys: lockKeyOf(found._id), now }, async (uow) => {
    const channel = await database.channels
      .findOneAndUpdate(
        { _id: found._id },
        { $inc: { lastOrder: 1 } },
        { session: uow.session, returnDocument: "after" },
      )
      .lean();
    if (!channel) throw channelNotFound();
    const delivery: DeliveryRecord = {
      _id: new Types.ObjectId(),
      channelId: channel._id,
      userId: channel.userId,
      order: channel.lastOrder,
      type: "channel.test",
      isRequested: true,
      eventAt: uow.at,
      createdAt: uow.at,
      ...newAttempts(uow),
    };
    await attemptSoon(database, uow, channel);
    uow.deferInsert(database.deliveries, delivery);
    return presentDelivery(delivery);
  });
}

const newAttempts = ({ at }: UnitOfWork) => ({
  status: "retrying" as const,
  attempts: 0,
  nextAttemptAt: at,
  responseStatus: null,
  error: null,
});

/** A delivery that waits for longer than this is retried at once when its user asks for another. */
const MAX_WAIT_MS = 60_000;

async function attemptSoon(
  database: Database,
  { session, at }: UnitOfWork,
  { _id }: Pick<ChannelRecord, "_id">,
): Promise<void> {
  const isFar = { $gt: new Date(at.getTime() + MAX_WAIT_MS) };
  await database.deliveries.updateMany(
    { channelId: _id, status: "retrying", nextAttemptAt: isFar },
    { $set: { nextAttemptAt: at } },
    { session },
  );
  await wakeChannels(database, { _id }, { at, urgent: true, session });
}

/** Sends a message again, with the same id. */
export async function resendDelivery(
  deps: ServerDeps,
  user: UserRecord,
  id: string,
  deliveryId: string,
): Promise<Delivery> {
  const { database, now } = deps;
  const { _id: channelId } = await findChannel(database, user, id);
  const mine = { _id: deliveryId, channelId };
  const delivery = isId(deliveryId) && (await database.deliveries.findOne(mine).lean());
  if (!delivery) throw new AppError("not-found", "There is no such delivery.");
  await assertKept(deps, user, delivery);
  return commit(database, { lockKeys: lockKeyOf(channelId), now }, async (uow) => {
    const set = { ...newAttempts(uow), isRequested: true };
    await database.deliveries.updateOne(mine, { $set: set }, { session: uow.session });
    await attemptSoon(database, uow, { _id: channelId });
    return presentDelivery({ ...delivery, ...set });
  });
}

async function assertKept(
  { database, settings }: ServerDeps,
  user: UserRecord,
  { passedOn, source = passedOn?.source }: DeliveryRecord,
): Promise<void> {
  if (!source) return;
  const mayRead = source.stream === "user" || readsAdminEvents(settings, user);
  const stream = source.stream === "user" ? userStream(user._id) : ADMINS_STREAM;
  const [event] = await readEvents(database, { stream, after: source.seq - 1, limit: 1 });
  if (mayRead && event) return;
  throw new AppError("not-found", "The event of this message is no longer kept.");
}

export async function rotateSecret(
  deps: ServerDeps,
  user: UserRecord,
  id: string,
): Promise<RotatedSecret> {
  const { database, now } = deps;
  const { _id } = await findChannel(database, user, id);
  const secrets = secretsOf(deps);
  return commit(database, { lockKeys: lockKeyOf(_id), now }, async ({ session, at }) => {
    const channel = await database.channels.findById(_id).session(session).lean();
    const target = secrets.open(channel?.target ?? "");
    if (target?.kind !== "webhook" || (target.format ?? "standard") !== "standard") {
      throw channelNotFound();
    }
    const until = at.getTime() + SECRET_OVERLAP_HOURS * 3_600_000;
    const previous = { secret: target.secret, until };
    const secret = newWebhookSecret();
    const sealed = secrets.seal({ ...target, secret, previous });
    await database.channels.updateOne({ _id }, { $set: { target: sealed } }, { session });
    return { secret, previous_until: new Date(until).toISOString() };
  });
}

/** Turns off the channel that the token of an email names, or the monthly email of the user that it names. */
export async function unsubscribe(deps: ServerDeps, token: string): Promise<void> {
  const { database, now } = deps;
  const id = secretsOf(deps).readUnsubscribeToken(token);
  if (id === null) throw invalidToken();
  const channel = await database.channels.findById(id).lean();
  if (!channel) {
    await turnOffResultsEmail(database, id);
    return;
  }
  const lockKeys = userStream(channel.userId);
  await commit(database, { lockKeys, now }, (uow) =>
    disableChannel(database, uow, channel, "unsubscribed"),
  );
}

async function turnOffResultsEmail({ users }: Database, id: string): Promise<void> {
  const isOn = "resultsEmail.isOn";
  await users.updateOne({ _id: new Types.ObjectId(id), [isOn]: true }, { $set: { [isOn]: false } });
}

export const presentQuietHours = ({ quietHours }: UserRecord): QuietHoursSetting => ({
  quiet_hours: quietHours
    ? { start: quietHours.start, end: quietHours.end, time_zone: quietHours.timeZone }
    : null,
});

/** Channels in which messages are held look at the new hours at once. */
export async function setQuietHours(
  { database, now }: ServerDeps,
  { _id }: Pick<UserRecord, "_id">,
  setting: QuietHoursSetting,
): Promise<QuietHoursSetting> {
  const { quiet_hours: hours } = setting;
  const change = hours
    ? { $set: { quietHours: { start: hours.start, end: hours.end, timeZone: hours.time_zone } } }
    : { $unset: { quietHours: 1 as const } };
  await database.users.updateOne({ _id }, change);
  await wakeChannels(
    database,
    { userId: _id, heldSince: { $ne: null } },
    { at: now(), urgent: true },
  );
  return setting;
}
