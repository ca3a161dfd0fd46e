import { z } from "zod";
import { streamPositionsSchema } from "./account.ts";
import {
  type AccountReason,
  adminEventSchemas,
  envelopeSchema,
  userEventSchemas,
} from "./events.ts";
import { analysisSchema, signalOriginSchema, signalResponseSchema } from "./signal.ts";

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
