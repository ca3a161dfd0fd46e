import { channelKindSchema, factsOfKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import { type ChannelEvent, channelEventOf } from "@shared/contract/channels.ts";
import {
  type ChannelRecord,
  DELIVERY_CONTROL_ID,
  type DeliveryRecord,
  type DeliverySource,
} from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { wakeChannels } from "@shared/domain/channels.ts";
import { PASS_ON, passedOnId, passOnSchema } from "@shared/domain/passed-on.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, readStreamHead } from "@shared/outbox/streams.ts";
import { doubling, oneByOne, repeatedly, type WorkHandler } from "@shared/work/work-handler.ts";
import type { DeliveryDeps } from "./channel-sender.ts";
import { quietUntil } from "./deliver-channel.ts";
import { SCAN_SIZE, scanStreams, type WantedEvent, wantedType } from "./plan-delivery.ts";

type PassOnDeps = Pick<DeliveryDeps, "database" | "logger" | "settings">;

/** A message that was not delivered within this time goes to another channel. */
export const PASS_ON_AFTER_MS = 60_000;

const SWEEP_MS = 3_000;

/** Passes messages on that one channel of a user does not deliver: each once, to the next channel. */
export const passingOn = (deps: PassOnDeps): WorkHandler[] => [
  repeatedly(deps, {
    kind: "pass-on-late",
    retryDelayMs: doubling({ first: 1_000, max: SWEEP_MS }),
    run: async (abort) => {
      await passOnLate(deps, deps.database.now(), abort);
      return new Date(deps.database.now().getTime() + SWEEP_MS);
    },
  }),
  oneByOne(deps, {
    kind: PASS_ON,
    concurrency: 5,
    retryDelayMs: doubling({ first: 1_000, max: 60_000 }),
    run: ({ data }) => passOnLeft(deps, passOnSchema.parse(data)),
  }),
];

/** Passes on what channels that fail, or wait for their turn, have not delivered in time. */
export async function passOnLate(deps: PassOnDeps, at: Date, abort: AbortSignal): Promise<void> {
  const { database } = deps;
  const control = await database.deliveryControl.findById(DELIVERY_CONTROL_ID).lean();
  if (control?.paused) return;
  const late = new Date(at.getTime() - PASS_ON_AFTER_MS);
  const channels = await database.channels
    .find({
      kind: { $in: channelKindSchema.options },
      dueAt: { $gt: new Date(0) },
      enabled: true,
      $or: [{ isFailing: true }, { dueAt: { $lte: late } }],
    })
    .lean();
  if (channels.length === 0) return;
  const users = await database.users
    .find({
      _id: { $in: channels.map(({ userId }) => userId) },
      passesOnSince: { $exists: true },
    })
    .lean();
  for (const user of users) {
    for (const from of channels.filter(({ userId }) => userId.equals(user._id))) {
      if (abort.aborted) return;
      // Its messages were held, or have had no time yet since then.
      const isHeld = factsOfKind(from.kind).isForPeople;
      if (isHeld && user.quietHours && quietUntil(user.quietHours, late)) continue;
      await passOn(deps, { from, user, at, until: late });
    }
  }
}

/** Passes on what a channel had left to deliver when its receiver turned it off. */
export async function passOnLeft(
  deps: PassOnDeps,
  { userId, channelId }: { userId: string; channelId: string },
): Promise<void> {
  const { database } = deps;
  const [user, from] = await Promise.all([
    database.users.findById(userId).lean(),
    database.channels.findById(channelId).lean(),
  ]);
  if (!user?.passesOnSince || from?.disabledReason !== "gone" || !from.problem) return;
  await passOn(deps, { from, user, at: database.now(), until: from.problem.at });
}

interface PassOn {
  from: ChannelRecord;
  user: UserRecord;
  at: Date;
  /** Later events have time. */
  until: Date;
}

async function passOn(deps: PassOnDeps, { from, user, at, until }: PassOn): Promise<void> {
  const { database } = deps;
  const since = user.passesOnSince ?? at;
  const found = await findUndelivered(deps, from, user);
  const messages = found.filter((message) => message.at >= since && message.at <= until);
  const ids = messages.map((message) => passedOnId(user._id, message));
  const passed = await database.deliveries
    .find({ _id: { $in: ids } })
    .select({ _id: 1 })
    .lean();
  const isPassed = new Set(passed.map(({ _id }) => _id.toString()));
  const open = messages.filter((message) => !isPassed.has(`${passedOnId(user._id, message)}`));
  if (open.length === 0) return;
  const channels = await database.channels
    .find({ userId: user._id })
    .sort({ createdAt: 1, _id: 1 })
    .lean();
  for (const message of open) {
    const to = nextChannel(channels, from, message);
    if (to) await store(deps, { from, to, message, at });
  }
}

interface Message extends WantedEvent {
  stream: DeliverySource["stream"];
}

/** What a channel wants and has not delivered, oldest first: the message that is being sent, and those that wait behind it. */
async function findUndelivered(
  { database, settings }: PassOnDeps,
  from: ChannelRecord,
  user: UserRecord,
): Promise<Message[]> {
  const adminHead = readsAdminEvents(settings, user)
    ? await readStreamHead(database, ADMINS_STREAM)
    : 0;
  const current = await database.deliveries
    .findOne({
      channelId: from._id,
      ...(from.enabled ? { status: "retrying", isRequested: false } : { order: from.lastOrder }),
    })
    .sort({ order: 1 })
    .lean();
  const source = current?.status === "delivered" || current?.isRequested ? null : current?.source;
  const start = (stream: DeliverySource["stream"], cursor: number, head: number) =>
    Math.max(source?.stream === stream ? source.fromSeq - 1 : cursor, head - SCAN_SIZE);
  const { afterSeq, afterAdminSeq } = from;
  const unread = {
    ...from,
    afterSeq: start("user", afterSeq, user.lastEventSeq),
    afterAdminSeq:
      adminHead > 0 && afterAdminSeq !== null ? start("admins", afterAdminSeq, adminHead) : null,
  };
  const scans = await scanStreams(database, unread, user, adminHead);
  return scans.flatMap(({ stream, wanted }) => wanted.map((event) => ({ stream, ...event })));
}

/**
 * The channel after `from` in the user's list, around its end, that people read, that works and was on at the time of the
 * event. None if one of these gets the message anyway.
 */
export function nextChannel(
  channels: readonly ChannelRecord[],
  from: Pick<ChannelRecord, "_id">,
  { name, at, confidence }: Pick<WantedEvent, "name" | "at" | "confidence">,
): ChannelRecord | undefined {
  const place = channels.findIndex(({ _id }) => _id.equals(from._id));
  const others = [...channels.slice(place + 1), ...channels.slice(0, Math.max(place, 0))];
  const usable = others.filter(
    ({ enabled, kind, isFailing, target, createdAt, onSince = createdAt }) =>
      enabled && target !== null && !isFailing && factsOfKind(kind).isForPeople && onSince <= at,
  );
  if (usable.some((channel) => wantedType(channel, name, confidence))) return undefined;
  const event = channelEventOf(name);
  return event
    ? usable.find((channel) => wantedType({ ...channel, events: [event] }, name, confidence))
    : undefined;
}

interface Stored {
  from: ChannelRecord;
  to: ChannelRecord;
  message: Message;
  at: Date;
}

/** The id of the delivery follows from the message, so that the database keeps one, whichever worker is killed or comes second. */
async function store({ database }: PassOnDeps, { from, to, message, at }: Stored): Promise<void> {
  const { stream, seq } = message;
  const source = { stream, fromSeq: seq, seq };
  const _id = passedOnId(from.userId, source);
  await commit(database, { lockKeys: `channel:${to._id}`, now: () => at }, async (uow) => {
    const { session } = uow;
    if (await database.deliveries.exists({ _id }).session(session)) return;
    const target = await database.channels
      .findOneAndUpdate(
        { _id: to._id, enabled: true },
        { $inc: { lastOrder: 1 } },
        { session, returnDocument: "after" },
      )
      .lean();
    if (!target) return;
    const delivery = {
      _id,
      channelId: to._id,
      userId: to.userId,
      order: target.lastOrder,
      type: message.type,
      passedOn: { fromChannelId: from._id, source },
      eventAt: message.at,
      status: "retrying",
      isRequested: false,
      attempts: 0,
      responseStatus: null,
      error: null,
      nextAttemptAt: at,
      createdAt: at,
    } satisfies DeliveryRecord & { type: ChannelEvent };
    uow.deferInsert(database.deliveries, delivery);
    await wakeChannels(database, { _id: to._id }, { at, session });
  });
}
