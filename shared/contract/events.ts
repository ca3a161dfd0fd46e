import { z } from "zod";
import {
  adminPaymentProofSchema,
  meSchema,
  streamPositionsSchema,
  userCardSchema,
} from "./account.ts";
import { channelKindSchema } from "./channel-kinds/channel-kinds.ts";
import { BUDGET_PERCENTS, CHANNEL_DISABLED_REASONS } from "./constants.ts";
import { chartImageSchema } from "./files.ts";
import type { LivePrice, StalePrice } from "./market-data.ts";
import { paymentDetailsSchema } from "./payment.ts";
import {
  analysisSchema,
  entryLeftSchema,
  outcomeSchema,
  signalOriginSchema,
  signalResponseSchema,
} from "./signal.ts";
import { subscriptionSchema } from "./subscription.ts";

const signalRefSchema = signalResponseSchema.pick({
  signal_id: true,
  symbol: true,
  timeframe: true,
});
const emptySchema = z.object({});

export const accountReasonSchema = z.enum([
  "approved",
  "revoked",
  "credits-granted",
  "credit-spent",
  "credit-refunded",
  "image-access",
  "role-changed",
  "email-verified",
  "proof-submitted",
  "subscription-started",
  "subscription-renewed",
  "subscription-grace",
  "subscription-ended",
]);
export type AccountReason = z.infer<typeof accountReasonSchema>;

/** Actions of an administrator on jobs. */
export const jobActionSchema = z.enum(["requeue", "retry", "delete", "pause", "resume"]);
export type JobAction = z.infer<typeof jobActionSchema>;

const userEventSchemas = {
  "signal:queued": signalRefSchema,
  "signal:started": signalRefSchema,
  "signal:completed": signalResponseSchema,
  "signal:failed": signalResponseSchema,
  "signal:filled": z.object({
    signal_id: z.string(),
    price: z.number(),
    filled_at: z.iso.datetime(),
  }),
  "signal:outcome": z.object({
    signal_id: z.string(),
    outcome: outcomeSchema,
    resolved_at: z.iso.datetime(),
  }),
  "signal:entry-left": entryLeftSchema.extend({ signal_id: z.string() }),
  "account:updated": meSchema
    .pick({ approved: true, role: true, allow_image_upload: true, image_credits: true })
    .extend({ reason: accountReasonSchema }),
  "subscription:expiring": subscriptionSchema
    .pick({ plan: true, ends_at: true })
    .extend({ days_left: z.number().int().positive() }),
  "channel:disabled": z.object({
    channel_id: z.string(),
    kind: channelKindSchema,
    reason: z.enum(CHANNEL_DISABLED_REASONS),
  }),
  "proof:deleted": emptySchema,
  "history:cleared": emptySchema,
  "notifications:seen": streamPositionsSchema,
} as const;

const adminEventSchemas = {
  "user:registered": userCardSchema,
  "user:updated": userCardSchema,
  "user:deleted": z.object({ username: z.string() }),
  /** Stored events of earlier versions have no id. */
  "proof:submitted": adminPaymentProofSchema.partial({ id: true }).extend({ username: z.string() }),
  "chart-image:added": chartImageSchema,
  "chart-image:deleted": chartImageSchema,
  "payment-details:updated": paymentDetailsSchema,
  /** In US dollars, of the UTC day. */
  "budget:reached": z.object({
    percent: z.literal(BUDGET_PERCENTS),
    spent_usd: z.number().nonnegative(),
    budget_usd: z.number().positive(),
  }),
  /** `names` of the jobs, each once. */
  "queue:changed": z.object({
    action: jobActionSchema,
    jobs: z.number().int().positive(),
    names: z.string(),
  }),
} as const;

/** Data of every numbered event, by name. */
export const eventSchemas = { ...userEventSchemas, ...adminEventSchemas } as const;
export type EventName = keyof typeof eventSchemas;
export type EventData<Name extends EventName> = z.infer<(typeof eventSchemas)[Name]>;

export const streamNameSchema = z.enum(["user", "admins"]);
export type StreamName = z.infer<typeof streamNameSchema>;

/** Envelope of a numbered event; `seq` counts from 1 without gaps in its stream. */
export const envelopeSchema = z.object({
  stream: streamNameSchema,
  seq: z.number().int().nonnegative(),
  at: z.iso.datetime(),
  data: z.unknown(),
});
export type EventEnvelope<Data> = z.infer<typeof envelopeSchema> & { data: Data };

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

/** Data of the events that notify somebody, cut to what a notification tells. */
const notificationData = {
  "signal:completed": resultSchema,
  "signal:failed": resultSchema,
  "signal:filled": userEventSchemas["signal:filled"].extend(laterFields),
  "signal:outcome": userEventSchemas["signal:outcome"].extend(laterFields),
  "signal:entry-left": userEventSchemas["signal:entry-left"].extend(laterFields),
  "account:updated": userEventSchemas["account:updated"],
  "subscription:expiring": userEventSchemas["subscription:expiring"],
  "channel:disabled": userEventSchemas["channel:disabled"],
  "proof:deleted": userEventSchemas["proof:deleted"],
  "history:cleared": userEventSchemas["history:cleared"],
  "user:registered": adminEventSchemas["user:registered"].pick({ username: true }),
  "proof:submitted": adminEventSchemas["proof:submitted"].pick({
    username: true,
    sender_name: true,
  }),
  "budget:reached": adminEventSchemas["budget:reached"],
} as const;

export const NOTIFYING_EVENTS: readonly string[] = Object.keys(notificationData);

/** Changes of an account that its user has made, so they notify nobody. */
export const OWN_ACCOUNT_CHANGES = [
  "credit-spent",
  "email-verified",
  "proof-submitted",
] as const satisfies readonly AccountReason[];

const item = <Name extends keyof typeof notificationData>(name: Name) =>
  envelopeSchema.extend({ name: z.literal(name), data: notificationData[name] });

/** An event that the user has been notified of. */
export const notificationSchema = z.discriminatedUnion("name", [
  item("signal:completed"),
  item("signal:failed"),
  item("signal:filled"),
  item("signal:outcome"),
  item("signal:entry-left"),
  item("account:updated"),
  item("subscription:expiring"),
  item("channel:disabled"),
  item("proof:deleted"),
  item("history:cleared"),
  item("user:registered"),
  item("proof:submitted"),
  item("budget:reached"),
]);
export type Notification = z.infer<typeof notificationSchema>;

/** Last event of each stream that the user has seen. */
export const seenNotificationsSchema = streamPositionsSchema.meta({ id: "SeenNotifications" });

/** Newest first. `seen` is null until they first open the app. */
export const notificationListSchema = z
  .object({
    notifications: z.array(notificationSchema),
    seen: streamPositionsSchema.nullable(),
  })
  .meta({ id: "NotificationList" });
export type NotificationList = z.infer<typeof notificationListSchema>;
