import { z } from "zod";
import {
  type AccountReason,
  adminEventSchemas,
  envelopeSchema,
  userEventSchemas,
} from "./events.ts";
import { analysisSchema, signalResponseSchema } from "./signal.ts";

export const MAX_NOTIFICATIONS = 50;

const signal = { signal_id: true, symbol: true, timeframe: true } as const;
const confidence = { final_signal: true, confidence: true, calibrated_confidence: true } as const;

const resultSchema = signalResponseSchema
  .pick(signal)
  .extend({ analysis: analysisSchema.pick(confidence).nullable() });

/** Symbol and timeframe are added to events that have only the id; absent if the signal is deleted. */
const laterFields = signalResponseSchema.pick({ symbol: true, timeframe: true }).partial().shape;

/** Data of the events that notify somebody, cut to what a notification tells. */
const notificationData = {
  "signal:completed": resultSchema,
  "signal:failed": resultSchema,
  "signal:outcome": userEventSchemas["signal:outcome"].extend(laterFields),
  "signal:entry-left": userEventSchemas["signal:entry-left"].extend(laterFields),
  "account:updated": userEventSchemas["account:updated"],
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
  item("signal:outcome"),
  item("signal:entry-left"),
  item("account:updated"),
  item("proof:deleted"),
  item("history:cleared"),
  item("user:registered"),
  item("proof:submitted"),
  item("budget:reached"),
]);
export type Notification = z.infer<typeof notificationSchema>;

/** Newest first. */
export const notificationListSchema = z
  .object({ notifications: z.array(notificationSchema) })
  .meta({ id: "NotificationList" });
export type NotificationList = z.infer<typeof notificationListSchema>;
