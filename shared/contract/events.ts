import { z } from "zod";
import { streamPositionsSchema } from "./account.ts";
import type { PublicBranding } from "./branding.ts";
import { unseenProblemSchema } from "./channel-problem.ts";
import {
  type AccountReason,
  type EventData,
  type EventName,
  eventSchemas,
} from "./events/event-data.ts";
import type { NotifiedName } from "./events/event-table.ts";
import type { LivePrice, StalePrice } from "./market-data.ts";
import { analysisSchema, signalOriginSchema, signalResponseSchema } from "./signal.ts";

export const streamNameSchema = z.enum(["user", "admins"]);
export type StreamName = z.infer<typeof streamNameSchema>;

/** Envelope of a numbered event; `seq` counts from 1 without gaps in its stream. */
export const envelopeSchema = z.object({
  stream: streamNameSchema,
  seq: z.number().int().nonnegative(),
  at: z.iso.datetime(),
  data: z.unknown(),
});
export type EventEnvelope<Data> = Omit<z.infer<typeof envelopeSchema>, "data"> & { data: Data };

/** Events of these names, each with its data. */
export function namedEvents<Schemas extends Record<string, z.ZodType>>(
  schemas: Schemas,
): z.ZodType<NamedEvent<Schemas>>;
export function namedEvents(schemas: Record<string, z.ZodType>): z.ZodType {
  const [first, ...others] = Object.entries(schemas).map(([name, data]) =>
    envelopeSchema.extend({ name: z.literal(name), data }),
  );
  if (!first) throw new RangeError("There are no events.");
  return z.discriminatedUnion("name", [first, ...others]);
}

type NamedEvent<Schemas extends Record<string, z.ZodType>> = {
  [Name in keyof Schemas]: EventEnvelope<z.infer<Schemas[Name]>> & { name: Name };
}[keyof Schemas];

export const sessionEndReasonSchema = z.enum([
  "deleted",
  "password-changed",
  "logged-out",
  "revoked-session",
  "role-changed",
  "expired",
]);
export type SessionEndReason = z.infer<typeof sessionEndReasonSchema>;
export const sessionEndedSchema = z.object({ reason: sessionEndReasonSchema });

/** Everything the server pushes. */
export type ServerToClientEvents = {
  [Name in EventName]: (envelope: EventEnvelope<EventData<Name>>) => void;
} & {
  /** Missed events are no longer kept: reload the state, then continue from `seq`. */
  resync: (envelope: EventEnvelope<Record<string, never>>) => void;
  /** Not numbered, and not sent to a client that is behind. */
  price: (price: LivePrice) => void;
  "price:stale": (stale: StalePrice) => void;
  /** Not numbered: how the product presents itself from now on, for every socket. */
  branding: (branding: PublicBranding) => void;
  "session:ended": (data: z.infer<typeof sessionEndedSchema>) => void;
  /** Sent before a socket is closed for a newer one of the user. Its client must not reconnect by itself. */
  "socket:closed": (data: { reason: "too-many-sockets" }) => void;
};

/** `auth` of the handshake; `since` is the last number received of each stream. */
export const socketAuthSchema = z.object({
  token: z.string(),
  since: streamPositionsSchema.partial().optional(),
});
export type SocketAuth = z.infer<typeof socketAuthSchema>;

export const MAX_NOTIFICATIONS = 50;

const signal = { signal_id: true, symbol: true, timeframe: true } as const;
const confidence = { final_signal: true, confidence: true, calibrated_confidence: true } as const;

const resultSchema = signalResponseSchema.pick(signal).extend({
  origin: signalOriginSchema.optional(),
  analysis: analysisSchema.pick(confidence).nullable(),
});

/** Symbol and timeframe are added to events that have only the id; absent if the signal is deleted. */
const laterFields = signalResponseSchema.pick({ symbol: true, timeframe: true }).partial().shape;

/** Data of the events that notify a user, cut to what a notification shows. */
const notificationData = {
  "signal:completed": resultSchema,
  "signal:failed": resultSchema,
  "signal:filled": eventSchemas["signal:filled"].extend(laterFields),
  "signal:outcome": eventSchemas["signal:outcome"].extend(laterFields),
  "signal:entry-left": eventSchemas["signal:entry-left"].extend(laterFields),
  "account:updated": eventSchemas["account:updated"],
  "subscription:expiring": eventSchemas["subscription:expiring"],
  "channel:disabled": eventSchemas["channel:disabled"],
  "proof:deleted": eventSchemas["proof:deleted"],
  "history:cleared": eventSchemas["history:cleared"],
  "user:registered": eventSchemas["user:registered"].pick({ username: true }),
  "proof:submitted": eventSchemas["proof:submitted"].pick({
    username: true,
    sender_name: true,
  }),
  "budget:reached": eventSchemas["budget:reached"],
} as const satisfies Record<NotifiedName, z.ZodType>;

export const NOTIFYING_EVENTS: readonly string[] = Object.keys(notificationData);

/** Changes of an account that its user has made, so they notify no user. */
export const OWN_ACCOUNT_CHANGES = [
  "credit-spent",
  "email-verified",
  "proof-submitted",
] as const satisfies readonly AccountReason[];

/** An event that the user has been notified of. */
export const notificationSchema = namedEvents(notificationData);
export type Notification = z.infer<typeof notificationSchema>;

/** Last event of each stream that the user has seen. */
export const seenNotificationsSchema = streamPositionsSchema.meta({ id: "SeenNotifications" });

/** Newest first. `seen` is null until they first open the app. */
export const notificationListSchema = z
  .object({
    notifications: z.array(notificationSchema),
    seen: streamPositionsSchema.nullable(),
    /** What is wrong with channels and has not been seen, the newest first. */
    channel_problems: z.array(unseenProblemSchema).optional(),
  })
  .meta({ id: "NotificationList" });
export type NotificationList = z.infer<typeof notificationListSchema>;
