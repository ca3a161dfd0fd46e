import { type ChannelEvent, channelEventOf } from "@shared/contract/channels.ts";
import type { Database } from "@shared/database/database.ts";
import type {
  ChannelRecord,
  DeliveryRecord,
  DeliverySource,
} from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { commit } from "@shared/outbox/commit.ts";
import { findNextKept, readEvents } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, readStreamHead, userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import { z } from "zod";
import type { LeasedChannel } from "./channel-leases.ts";
import type { DeliveryDeps } from "./channel-sender.ts";

type PlanDeps = Pick<DeliveryDeps, "database" | "settings">;

/** Events that are read at a time. */
export const SCAN_SIZE = 200;

interface Planned {
  /** `idle`: no event is left; `lost`: the channel was changed, or another worker has its lease. */
  result: "planned" | "skipped" | "idle" | "lost";
  channel: LeasedChannel;
  /** What is to be sent now. */
  delivery?: DeliveryRecord;
}

/** What a stream has for a channel after its cursor. */
interface Scan {
  stream: DeliverySource["stream"];
  after: number;
  /** Events for the channel, oldest first. */
  wanted: WantedEvent[];
  lastSeq: number;
  /** True if events after the cursor are no longer kept. */
  hasGap: boolean;
}

export interface WantedEvent {
  seq: number;
  at: Date;
  /** In the stream. */
  name: string;
  type: ChannelEvent;
  /** Of a completed signal. */
  confidence?: number | undefined;
}

/**
 * Moves the cursors of a channel to its next event, and stores the delivery of it, in one transaction: whatever crashes,
 * each event gets one delivery with one id.
 */
export async function planDelivery(
  deps: PlanDeps,
  channel: LeasedChannel,
  user: UserRecord,
  at: Date,
): Promise<Planned> {
  const isReader = readsAdminEvents(deps.settings, user);
  const adminHead = isReader ? await readStreamHead(deps.database, ADMINS_STREAM) : 0;
  if (isReader !== (channel.afterAdminSeq !== null)) {
    // Who has become an administrator gets what happens from now on.
    return commitPlan(deps, channel, { at, cursors: [], adminSeq: isReader ? adminHead : null });
  }
  const scans = await scanStreams(deps.database, channel, user, adminHead);
  const gap = scans.find(({ hasGap }) => hasGap);
  if (gap) return commitPlan(deps, channel, { at, ...skipGap(gap, at) });
  const held = channel.heldSince && scans.find(({ wanted }) => wanted.length > 1);
  if (held) return commitPlan(deps, channel, { at, ...summarise(held) });
  const next = nextEvent(scans);
  const cursors = scans.map((scan) => {
    const [first] = scan.wanted;
    return { ...scan, seq: first ? first.seq - (next?.scan === scan ? 0 : 1) : scan.lastSeq };
  });
  const isIdle = !next && !channel.heldSince && cursors.every(({ seq, after }) => seq === after);
  if (isIdle) return { result: "idle", channel };
  const source = next && { stream: next.scan.stream, fromSeq: next.event.seq, seq: next.event.seq };
  return commitPlan(deps, channel, {
    at,
    cursors,
    heldSince: null,
    ...(next && source && { delivery: { type: next.event.type, source, eventAt: next.event.at } }),
  });
}

function nextEvent(scans: readonly Scan[]): { scan: Scan; event: WantedEvent } | undefined {
  const firsts = scans.flatMap((scan) => scan.wanted.slice(0, 1).map((event) => ({ scan, event })));
  return firsts.toSorted((one, other) => one.event.at.getTime() - other.event.at.getTime())[0];
}

interface Plan {
  at: Date;
  cursors: Pick<Scan & { seq: number }, "stream" | "seq">[];
  heldSince?: null;
  adminSeq?: number | null;
  delivery?: Pick<DeliveryRecord, "type" | "source" | "eventAt"> &
    Partial<Pick<DeliveryRecord, "status" | "error">>;
}

/** Events of more than seven days are not kept. Those that are left follow. */
const skipGap = ({ stream, after, lastSeq }: Scan, eventAt: Date): Omit<Plan, "at"> => ({
  cursors: [{ stream, seq: lastSeq }],
  delivery: {
    type: "channel.summary",
    source: { stream, fromSeq: after + 1, seq: lastSeq },
    eventAt,
    status: "suppressed",
    error: `Events are kept for 7 days. Older ones that were skipped: ${lastSeq - after}.`,
  },
});

/** What was held during quiet hours is one message. */
function summarise({ stream, after, wanted, lastSeq }: Scan): Omit<Plan, "at"> {
  const eventAt = wanted.at(-1)?.at ?? new Date(0);
  const source = { stream, fromSeq: after + 1, seq: lastSeq };
  return {
    cursors: [{ stream, seq: lastSeq }],
    delivery: { type: "channel.summary", source, eventAt },
  };
}

async function commitPlan(
  { database }: PlanDeps,
  channel: LeasedChannel,
  { at, cursors, heldSince, adminSeq = channel.afterAdminSeq, delivery }: Plan,
): Promise<Planned> {
  const { _id, leaseId, afterSeq, afterAdminSeq } = channel;
  const seqOf = (stream: DeliverySource["stream"]) =>
    cursors.find((cursor) => cursor.stream === stream)?.seq;
  const set = {
    afterSeq: seqOf("user") ?? afterSeq,
    afterAdminSeq: seqOf("admins") ?? adminSeq,
    ...(heldSince === null && { heldSince }),
  };
  const options = { lockKeys: `channel:${_id}`, groupCommit: true, now: () => at };
  const record = delivery && newDelivery(channel, delivery, at);
  const moved = await commit(database, options, async (uow) => {
    const found = await database.channels
      .findOneAndUpdate(
        { _id, leaseId, enabled: true, afterSeq, afterAdminSeq },
        { $set: set, $inc: { lastOrder: delivery ? 1 : 0 } },
        { session: uow.session, returnDocument: "after" },
      )
      .lean();
    if (!found || !record) return { found };
    const planned: DeliveryRecord = { ...record, order: found.lastOrder };
    uow.deferInsert(database.deliveries, planned);
    return { found, planned };
  });
  if (!moved.found) return { result: "lost", channel };
  const next = { ...moved.found, leaseId };
  return moved.planned?.status === "retrying"
    ? { result: "planned", channel: next, delivery: moved.planned }
    : { result: "skipped", channel: next };
}

function newDelivery(
  { _id: channelId, userId }: LeasedChannel,
  { status = "retrying", error = null, ...planned }: NonNullable<Plan["delivery"]>,
  at: Date,
): Omit<DeliveryRecord, "order"> {
  return {
    _id: new Types.ObjectId(),
    channelId,
    userId,
    ...planned,
    status,
    error,
    isRequested: false,
    attempts: 0,
    responseStatus: null,
    createdAt: at,
    nextAttemptAt: status === "retrying" ? at : null,
  };
}

export async function scanStreams(
  database: Database,
  channel: ChannelRecord,
  user: UserRecord,
  adminHead: number,
): Promise<Scan[]> {
  const own = { stream: "user" as const, after: channel.afterSeq, head: user.lastEventSeq };
  const scan = await scanStream(database, channel, { ...own, name: userStream(user._id) });
  if (channel.afterAdminSeq === null) return [scan];
  const admins = { stream: "admins" as const, after: channel.afterAdminSeq, head: adminHead };
  return [scan, await scanStream(database, channel, { ...admins, name: ADMINS_STREAM })];
}

const scannedSchema = z.object({
  name: z.string(),
  seq: z.number(),
  at: z.date(),
  data: z.object({ analysis: z.object({ confidence: z.number() }).nullish() }).optional(),
});

async function scanStream(
  database: Database,
  channel: ChannelRecord,
  { stream, after, head, name }: Pick<Scan, "stream" | "after"> & { head: number; name: string },
): Promise<Scan> {
  const none = { stream, after, wanted: [], lastSeq: after, hasGap: false };
  if (head <= after) return none;
  const limit = Math.min(SCAN_SIZE, head - after);
  const found = await readEvents(database, {
    stream: name,
    after,
    limit,
    dataFields: ["analysis.confidence"],
  });
  const scanned = found.map((event) => scannedSchema.parse(event));
  if (scanned[0]?.seq !== after + 1) {
    const next = await findNextKept(database, { stream: name, after });
    return { ...none, lastSeq: next ? next - 1 : head, hasGap: true };
  }
  const wanted = scanned.flatMap((event) => wantedEvent(channel, event));
  return { ...none, wanted, lastSeq: scanned.at(-1)?.seq ?? after };
}

function wantedEvent(
  channel: ChannelRecord,
  { name, seq, at, data }: z.infer<typeof scannedSchema>,
): WantedEvent[] {
  const confidence = data?.analysis?.confidence;
  const type = wantedType(channel, name, confidence);
  return type ? [{ seq, at, name, type, confidence }] : [];
}

/** The event of a channel that an event of the log becomes; null if the channel does not want it. */
export function wantedType(
  { kind, events, minConfidence }: ChannelRecord,
  name: string,
  confidence = 0,
): ChannelEvent | null {
  const type = channelEventOf(name);
  if (!type || !events.includes(type)) return null;
  if (type === "signal.completed" && confidence < minConfidence) return null;
  // Its reminder is an email already.
  return type === "subscription.expiring" && kind === "email" ? null : type;
}
