import { type ChannelSummary, MAX_SUMMARY_MESSAGES } from "@shared/contract/channels.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { type Analysis, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type {
  ChannelRecord,
  DeliveryRecord,
  DeliverySource,
} from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { type LoggedEvent, readEvents } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import type { ChannelMessage, DeliveryDeps } from "./channel-sender.ts";
import { wantedType } from "./plan-delivery.ts";

type MessageContent = Pick<ChannelMessage, "timestamp" | "data" | "validUntil">;

interface ContentOptions {
  user: UserRecord;
  channel: ChannelRecord;
  delivery: DeliveryRecord;
  at: Date;
}

type ContentDeps = Pick<DeliveryDeps, "database" | "settings">;

/** What a delivery says; `late` if it would be of no use any more, `gone` if its event is no longer kept. */
export async function composeContent(
  deps: ContentDeps,
  { channel, delivery, user, at }: ContentOptions,
): Promise<MessageContent | "late" | "gone"> {
  const { type, eventAt: timestamp } = delivery;
  const source = sourceOf(delivery);
  const other = { timestamp, validUntil: null };
  if (!source) return { ...other, data: { message: "This is a test message." } };
  // Who is no administrator any more gets nothing of their stream.
  if (source.stream === "admins" && !readsAdminEvents(deps.settings, user)) return "gone";
  const events = await readSource(deps.database, delivery.userId, source);
  if (type === "channel.summary") {
    const data = await summaryOf(deps, { channel, at }, events);
    return data ? { ...other, data } : "gone";
  }
  const [event] = events;
  if (!event) return "gone";
  const data = publicData(deps, event);
  const validUntil = validUntilOf(event);
  const isLate = !delivery.isRequested && (await isTooLate(deps.database, event, at));
  return isLate ? "late" : { timestamp, data, validUntil };
}

const sourceOf = ({ passedOn, source = passedOn?.source }: DeliveryRecord) => source;

function readSource(database: Database, userId: DeliveryRecord["userId"], source: DeliverySource) {
  const { fromSeq, seq } = source;
  const stream = source.stream === "admins" ? ADMINS_STREAM : userStream(userId);
  return readEvents(database, { stream, after: fromSeq - 1, limit: seq - fromSeq + 1 });
}

async function summaryOf(
  deps: ContentDeps,
  { channel, at }: Pick<ContentOptions, "channel" | "at">,
  events: readonly LoggedEvent[],
): Promise<ChannelSummary | null> {
  const wanted = events.flatMap((event) => {
    const type = wantedType(channel, event.name, analysisOf(event)?.confidence);
    return type ? [{ event, type }] : [];
  });
  const first = wanted[0];
  const last = wanted.at(-1);
  if (!first || !last) return null;
  const counts: ChannelSummary["counts"] = {};
  const messages: ChannelSummary["messages"] = [];
  for (const { event, type } of wanted) {
    counts[type] = (counts[type] ?? 0) + 1;
    if (await isTooLate(deps.database, event, at)) continue;
    messages.push({ type, timestamp: event.at.toISOString(), data: publicData(deps, event) });
  }
  return {
    from: first.event.at.toISOString(),
    to: last.event.at.toISOString(),
    counts,
    messages: messages.slice(-MAX_SUMMARY_MESSAGES),
  };
}

function analysisOf({ name, data }: LoggedEvent): Analysis | null {
  return name === "signal:completed"
    ? (signalResponseSchema.safeParse(data).data?.analysis ?? null)
    : null;
}

function validUntilOf(event: LoggedEvent): Date | null {
  const validUntil = analysisOf(event)?.valid_until;
  return validUntil ? new Date(validUntil) : null;
}

/** Whether a signal can no longer be acted upon: its time is over, its entry missed, its trade closed, or it is deleted. */
async function isTooLate({ signals }: Database, event: LoggedEvent, at: Date): Promise<boolean> {
  const validUntil = validUntilOf(event);
  if (!validUntil) return false;
  if (validUntil <= at) return true;
  const { signal_id: _id } = signalResponseSchema.parse(event.data);
  const signal = await signals.findById(_id).select({ entryLeft: 1, outcome: 1 }).lean();
  return !signal || signal.entryLeft !== undefined || signal.outcome !== undefined;
}

/** The data of an event as in its push. Files have their address, which asks for a token: signed ones expire too soon. */
function publicData({ settings }: ContentDeps, { name, data }: LoggedEvent): unknown {
  if (name !== "proof:submitted") return data;
  const proof = eventSchemas["proof:submitted"].parse(data);
  const absolute = (path: string) => `${settings.VITE_API_URL}${path}`;
  const { earlier_proof: earlier } = proof;
  return {
    ...proof,
    url: absolute(proof.url),
    ...(earlier && {
      earlier_proof: { ...earlier, ...(earlier.url && { url: absolute(earlier.url) }) },
    }),
  };
}
