import type { ClientSession } from "mongoose";
import { z } from "zod";
import { type Database, nativeCollection } from "../database/database.ts";
import type { EventRecord } from "../database/models/event.ts";
import { joinParts } from "./common-part.ts";
import { CONTROL_STREAM } from "./streams.ts";

/** An event as a reader of a stream sees it. Instructions to the servers have no `seq`. */
export type LoggedEvent = Omit<EventRecord, "_id" | "recipients">;
export type NumberedEvent = LoggedEvent & { seq: number };

const storedEventSchema = z.object({
  stream: z.string(),
  seq: z.number().int().positive().optional(),
  name: z.string(),
  data: z.unknown(),
  at: z.date(),
  requestId: z.string().optional(),
  recipients: z
    .array(z.object({ stream: z.string(), seq: z.number(), data: z.unknown() }))
    .optional(),
});

/** The fields of a stored event that `eventsOf` reads. */
export const STORED_EVENT_FIELDS = Object.keys(storedEventSchema.shape);

/**
 * The events that a stored one stands for: one, or one for each of its recipients.
 * @throws ZodError
 */
export function eventsOf(stored: unknown): LoggedEvent[] {
  const { recipients, ...event } = storedEventSchema.parse(stored);
  if (!recipients) return [event];
  return recipients.map(({ stream, seq, data }) => ({
    ...event,
    stream,
    seq,
    data: joinParts(event.data, data),
  }));
}

/** Instructions about a user since a time. */
export async function readInstructions(
  { events }: Database,
  { name, userId, since }: { name: string; userId: string; since: Date },
): Promise<LoggedEvent[]> {
  const about = { at: { $gte: since }, stream: CONTROL_STREAM, name, "data.userId": userId };
  return (await nativeCollection(events).find(about).toArray()).flatMap(eventsOf);
}

interface EventRange {
  stream: string;
  /** Events after this number, at most `limit` numbers on. */
  after: number;
  limit: number;
  /** Names of the events to read; all by default. */
  names?: readonly string[];
  /** Fields of `data` to read; all by default. */
  dataFields?: readonly string[];
}

/**
 * Events of a stream, oldest first. They are complete up to the head of the stream when the call was made, but for events
 * of more than 7 days, which are not kept.
 */
export async function readEvents(
  { events }: Database,
  { stream, after, limit, names, dataFields }: EventRange,
): Promise<NumberedEvent[]> {
  const range = { stream, seq: { $gt: after, $lte: after + limit } };
  const named = names && { name: { $in: [...names] } };
  // A user may be among the recipients several times.
  const isWanted = [
    { $eq: ["$$this.stream", stream] },
    { $gt: ["$$this.seq", after] },
    { $lte: ["$$this.seq", after + limit] },
  ];
  const recipients = { $filter: { input: "$recipients", cond: { $and: isWanted } } };
  const data = dataFields
    ? Object.fromEntries(dataFields.map((field) => [`data.${field}`, 1]))
    : { data: 1 };
  const fields = { ...data, stream: 1, seq: 1, name: 1, at: 1, requestId: 1 };
  const collection = nativeCollection(events);
  const [own, shared] = await Promise.all([
    collection.find({ ...range, ...named }, { projection: fields }).toArray(),
    collection
      .find(
        { recipients: { $elemMatch: range }, ...named },
        { projection: { ...fields, recipients } },
      )
      .toArray(),
  ]);
  return [...own, ...shared]
    .flatMap(eventsOf)
    .flatMap(({ seq, ...event }) => (seq === undefined ? [] : [{ ...event, seq }]))
    .toSorted((one, other) => one.seq - other.seq);
}

/** The next number after `after` whose event is still kept. */
export async function findNextKept(
  { events }: Database,
  { stream, after }: Pick<EventRange, "stream" | "after">,
): Promise<number | undefined> {
  const range = { stream, seq: { $gt: after } };
  const [own, shared] = await Promise.all([
    nativeCollection(events).findOne(range, { sort: { seq: 1 }, projection: { seq: 1 } }),
    nativeCollection(events)
      .find({ recipients: { $elemMatch: range } }, { projection: { "recipients.$": 1 } })
      .toArray(),
  ]);
  const numbers = [own, ...shared.flatMap(({ recipients = [] }) => recipients)];
  const kept = numbers.flatMap((one) => one?.seq ?? []);
  return kept.length > 0 ? Math.min(...kept) : undefined;
}

export async function deleteStream(
  { events }: Database,
  session: ClientSession,
  stream: string,
): Promise<void> {
  await events.deleteMany({ stream, seq: { $exists: true } }, { session });
  const inSeveral = { recipients: { $elemMatch: { stream } } };
  await events.updateMany(inSeveral, { $pull: { recipients: { stream } } }, { session });
}
