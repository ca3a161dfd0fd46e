import { setTimeout as delay } from "node:timers/promises";
import { tzOffset } from "@date-fns/tz";
import { factsOfKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { DeliveryStatus } from "@shared/contract/channels.ts";
import { DAY_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { DeliveryRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { disableChannel } from "@shared/domain/channels.ts";
import { PASS_ON } from "@shared/domain/passed-on.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { addWork } from "@shared/work/work-item.ts";
import { Types } from "mongoose";
import { z } from "zod";
import { type LeasedChannel, releaseChannel, renewLease } from "./channel-leases.ts";
import type { ChannelMessage, DeliveryDeps, SendResult } from "./channel-sender.ts";
import { composeContent } from "./compose-message.ts";
import { planDelivery } from "./plan-delivery.ts";

/** After the first attempt and each retry. The delivery has failed after the last one. */
export const RETRY_DELAYS_MS = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000] as const;

/** Of the delay, at random, so that receivers that fail together are not retried together. */
const JITTER = 0.1;

/** A receiver cannot ask for more, so that one wrong header does not stop a channel. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** A message that takes longer is a problem of its channel, which its user sees on every page. */
const PROBLEM_AFTER_MS = 60_000;

const ATTEMPT_TIMEOUT_MS = 10_000;
/** For a sender that does not end in time. */
const GRACE_MS = 500;

/** Then the channel is released, so that a long backlog leaves room for others. */
const MAX_STEPS = 25;

/** When a channel is due again, or that it has a next step now. */
type Step =
  | { next: LeasedChannel }
  | { dueAt: Date | null; isFailing?: boolean; heldSince?: Date }
  | "lost";

/** Delivers what a leased channel has, in order, and releases it. */
export async function deliverChannel(
  deps: DeliveryDeps,
  leased: LeasedChannel,
  stopping: AbortSignal,
): Promise<void> {
  const { database, readTime } = deps;
  let channel = leased;
  for (let count = 0; count < MAX_STEPS && !stopping.aborted; count += 1) {
    const step = await takeStep(deps, channel);
    if (step === "lost") return;
    if (!("next" in step)) {
      return releaseChannel(database, channel, { at: await readTime(), ...step });
    }
    channel = step.next;
  }
  const at = await readTime();
  await releaseChannel(database, channel, { at, dueAt: at, isFailing: false });
}

async function takeStep(deps: DeliveryDeps, channel: LeasedChannel): Promise<Step> {
  const { database, readTime } = deps;
  const at = await readTime();
  const delivery = await database.deliveries
    .findOne({ channelId: channel._id, status: "retrying" })
    .sort({ order: 1 })
    .lean();
  if (delivery?.nextAttemptAt && delivery.nextAttemptAt > at) {
    return { dueAt: delivery.nextAttemptAt, isFailing: delivery.attempts > 0 };
  }
  const user = await database.users.findById(channel.userId).lean();
  if (!user || (!delivery && !channel.enabled)) return { dueAt: null };
  const isHeld = factsOfKind(channel.kind).isForPeople && !delivery?.isRequested;
  const quietEnd = isHeld && user.quietHours ? quietUntil(user.quietHours, at) : null;
  if (quietEnd) return { dueAt: quietEnd, heldSince: channel.heldSince ?? at };
  if (delivery) return attempt(deps, { channel, delivery, user });
  return plan(deps, channel, user, at);
}

async function plan(
  deps: DeliveryDeps,
  channel: LeasedChannel,
  user: UserRecord,
  at: Date,
): Promise<Step> {
  const planned = await planDelivery(deps, channel, user, at);
  if (planned.result === "lost") return { dueAt: at };
  const { delivery } = planned;
  if (delivery) return attempt(deps, { channel: planned.channel, delivery, user });
  return planned.result === "idle" ? { dueAt: null, isFailing: false } : { next: planned.channel };
}

interface Attempt {
  channel: LeasedChannel;
  delivery: DeliveryRecord;
  user: UserRecord;
}

async function attempt(deps: DeliveryDeps, current: Attempt): Promise<Step> {
  const { database, readTime } = deps;
  const { delivery, user } = current;
  const sentAt = await readTime();
  const channel = await renewLease(database, current.channel, sentAt);
  if (!channel) return "lost";
  const content = await composeContent(deps, { channel, delivery, user, at: sentAt }).catch(
    unreadable,
  );
  if (typeof content === "string") {
    await finish(deps, delivery, NOT_SENT[content]);
    return { next: channel };
  }
  const result = await send(deps, { channel, delivery, user }, { sentAt, ...content });
  deps.metrics.deliveryAttempted(channel.kind, result.outcome);
  return record(deps, { channel, delivery, user }, result);
}

/** Why a delivery is never sent. */
const NOT_SENT = {
  late: { status: "suppressed", error: "It came too late to act upon." },
  gone: { status: "failed", error: "Its event is not kept." },
  unreadable: { status: "failed", error: "Its event cannot be read." },
} as const satisfies Record<string, { status: DeliveryStatus; error: string }>;

/** An event that does not fit its schema will not fit it later, and must not hold back the events after it. */
function unreadable(error: unknown): "unreadable" {
  if (error instanceof z.ZodError) return "unreadable";
  throw error;
}

async function send(
  { secrets, senders, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, logger }: DeliveryDeps,
  { channel, delivery, user }: Attempt,
  content: Pick<ChannelMessage, "sentAt" | "timestamp" | "data" | "validUntil">,
): Promise<SendResult> {
  const target = channel.target === null ? null : secrets.open(channel.target);
  const sender = senders[channel.kind];
  if (!target || !sender) {
    logger.error({ channelId: channel._id }, "a channel cannot be decrypted with CHANNEL_SECRET");
    return notSent("The address of this channel cannot be read.");
  }
  const { username, email } = user;
  const message: ChannelMessage = {
    id: delivery._id.toString(),
    channelId: channel._id.toString(),
    type: delivery.type,
    ...content,
    target,
    user: { username, email },
  };
  const abort = AbortSignal.timeout(attemptTimeoutMs);
  const timedOut = delay(attemptTimeoutMs + GRACE_MS, notSent("There was no response in time."), {
    ref: false,
  });
  // The error may contain the address, so it is not logged.
  const sent = sender.send(message, abort).catch(() => notSent("The message could not be sent."));
  return Promise.race([sent, timedOut]);
}

const notSent = (error: string): SendResult => ({ outcome: "retry", responseStatus: null, error });

/** Only the result of an attempt that no other worker has recorded counts, as after a suspension. */
const unrecorded = ({ _id, attempts }: DeliveryRecord) => ({
  _id,
  attempts,
  status: "retrying" as const,
});

async function finish(
  { database }: DeliveryDeps,
  delivery: DeliveryRecord,
  result: { status: DeliveryStatus; error: string | null },
): Promise<void> {
  const set = { ...result, nextAttemptAt: null };
  await database.deliveries.updateOne(unrecorded(delivery), { $set: set });
}

async function record(deps: DeliveryDeps, current: Attempt, result: SendResult): Promise<Step> {
  const { channel, delivery } = current;
  const { database, readTime, random } = deps;
  const at = await readTime();
  const attempts = delivery.attempts + 1;
  const { outcome, responseStatus, error } = result;
  const attempt = { attempts, responseStatus, error };
  if (outcome === "gone") return turnOff(deps, current, { ...attempt, at });
  const delayMs = RETRY_DELAYS_MS[delivery.attempts];
  const isRetried = outcome === "retry" && delayMs !== undefined;
  const waitMs = Math.max(
    (delayMs ?? 0) * (1 + JITTER * random()),
    Math.min(result.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS),
  );
  const nextAttemptAt = isRetried ? new Date(at.getTime() + waitMs) : null;
  const status = isRetried ? "retrying" : SETTLED[outcome];
  // First: whatever crashes, a problem is reported.
  if (isProblem(current, { status, nextAttemptAt })) await reportProblem(deps, channel, at);
  await database.deliveries.updateOne(unrecorded(delivery), {
    $set: { ...attempt, status, nextAttemptAt, ...(status === "delivered" && { deliveredAt: at }) },
  });
  return nextAttemptAt ? { dueAt: nextAttemptAt, isFailing: true } : { next: channel };
}

/** The status of a delivery that is not retried. */
const SETTLED = {
  delivered: "delivered",
  skipped: "suppressed",
  retry: "failed",
} as const satisfies Record<string, DeliveryStatus>;

/** Whether a message has failed or will take longer than a minute, which is reported once for each message. */
function isProblem(
  { channel: { problem }, delivery: { isRequested, createdAt } }: Attempt,
  { status, nextAttemptAt }: Pick<DeliveryRecord, "status" | "nextAttemptAt">,
): boolean {
  if (isRequested) return false;
  if (status === "failed") return true;
  const isLate = nextAttemptAt !== null && +nextAttemptAt - +createdAt > PROBLEM_AFTER_MS;
  return isLate && !(problem && problem.at >= createdAt);
}

async function reportProblem(
  { database }: DeliveryDeps,
  { _id, userId, kind }: LeasedChannel,
  at: Date,
): Promise<void> {
  const stream = userStream(userId);
  await commit(database, { lockKeys: stream, now: () => at }, async (uow) => {
    const problem = { reason: "not-delivered" as const, at };
    const { session } = uow;
    await database.channels.updateOne({ _id }, { $set: { problem } }, { session });
    uow.addEvent(stream, "channel:failing", { channel_id: _id.toString(), kind });
  });
}

async function turnOff(
  { database, logger }: DeliveryDeps,
  { channel, delivery, user }: Attempt,
  { at, ...attempt }: Pick<DeliveryRecord, "attempts" | "responseStatus" | "error"> & { at: Date },
): Promise<Step> {
  const { _id: channelId, kind, userId } = channel;
  await commit(database, { lockKeys: userStream(userId), now: () => at }, async (uow) => {
    const set = { ...attempt, status: "failed", nextAttemptAt: null };
    const { session } = uow;
    await database.deliveries.updateOne(unrecorded(delivery), { $set: set }, { session });
    await disableChannel(database, uow, channel, "gone");
    if (!user.passesOnSince) return;
    const data = { userId: userId.toString(), channelId: channelId.toString() };
    addWork(database, uow, { kind: PASS_ON, id: new Types.ObjectId(), data, dueAt: at });
  });
  logger.info({ channelId, kind }, "channel turned off by its receiver");
  return { next: { ...channel, enabled: false } };
}

/** When the quiet hours end in which `at` is; null if it is in none. */
export function quietUntil(
  { start, end, timeZone }: NonNullable<UserRecord["quietHours"]>,
  at: Date,
): Date | null {
  const localMs = at.getTime() + offsetMs(timeZone, at);
  const sinceMidnightMs = localMs - Math.floor(localMs / DAY_MS) * DAY_MS;
  const sinceStartMs = (sinceMidnightMs - timeOfDayMs(start) + DAY_MS) % DAY_MS;
  const lengthMs = (timeOfDayMs(end) - timeOfDayMs(start) + DAY_MS) % DAY_MS;
  if (sinceStartMs >= lengthMs) return null;
  const localEndMs = localMs - sinceStartMs + lengthMs;
  const guess = new Date(localEndMs - offsetMs(timeZone, at));
  // The clocks may change before the end.
  return new Date(localEndMs - offsetMs(timeZone, guess));
}

const offsetMs = (timeZone: string, at: Date): number => tzOffset(timeZone, at) * MINUTE_MS;

function timeOfDayMs(text: string): number {
  const [hours, minutes] = text.split(":").map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS;
}
