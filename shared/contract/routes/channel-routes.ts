import { seenChannelProblemsSchema } from "@shared/contract/channel-problem.ts";
import {
  channelChangeSchema,
  channelListSchema,
  channelSchema,
  channelTotalsSchema,
  createdChannelSchema,
  deliveryPageSchema,
  deliveryQuerySchema,
  deliverySchema,
  deliverySettingsSchema,
  newChannelSchema,
  offeredKindsSchema,
  publicKeySchema,
  quietHoursSettingSchema,
  rotatedSecretSchema,
} from "@shared/contract/channels.ts";
import { z } from "zod";
import { defineRoute, done, type RateLimit } from "./define-route.ts";

const changeLimit: RateLimit = { name: "channels", points: 120, per: "minute", by: ["user"] };

/** Each sends an email to the user. */
const additionLimit: RateLimit = {
  name: "channels-added",
  points: 60,
  per: "hour",
  by: ["user"],
  notAfter: "invalid-input",
};

/** Each makes this service send a message. */
const sendLimit: RateLimit = { name: "channel-sends", points: 30, per: "minute", by: ["user"] };

const channel = { tag: "Channels", access: "user" } as const;
const administration = { tag: "Administration", access: "admin" } as const;

const id = z.string().meta({ description: "The `id` of the channel." });
const params = z.object({ id });

export const channelRoutes = {
  listChannels: defineRoute("GET /channels", {
    ...channel,
    scopes: ["read"],
    summary: "Your channels, oldest first",
    responses: { 200: { description: "All channels.", schema: channelListSchema } },
  }),
  listKinds: defineRoute("GET /channel-kinds", {
    ...channel,
    scopes: ["read"],
    summary: "The kinds of channels that can be added",
    description: "Telegram and web push only where they are set up.",
    responses: { 200: { description: "The kinds.", schema: offeredKindsSchema } },
  }),
  addChannel: defineRoute("POST /channels", {
    ...channel,
    summary: "Add a channel",
    description:
      "Without `events`, it gets `signal.completed`, `signal.outcome`, `account.updated` and `subscription.expiring`; those of administrators also their three. Events from now on are sent. A webhook's `secret` is shown this one time. The user gets an email about it.",
    limits: [changeLimit, additionLimit],
    request: { body: newChannelSchema },
    responses: { 201: { description: "The channel.", schema: createdChannelSchema } },
    errors: [
      "channel-unavailable",
      "email-not-verified",
      "already-exists",
      "too-many-channels",
      "unavailable",
    ],
  }),
  changeChannel: defineRoute("PATCH /channels/:id", {
    ...channel,
    summary: "Change a channel",
    description:
      "Events that occur while it is off are not sent later. `disabled_reason` says what turned it off: a change of the password turns off all channels other than email.",
    limits: [changeLimit],
    request: { params, body: channelChangeSchema },
    responses: { 200: { description: "The channel.", schema: channelSchema } },
    errors: ["not-found", "channel-unavailable"],
  }),
  deleteChannel: defineRoute("DELETE /channels/:id", {
    ...channel,
    summary: "Delete a channel with its deliveries",
    request: { params },
    responses: { 204: { description: "Nothing is sent to it any more." } },
    errors: ["not-found"],
  }),
  testChannel: defineRoute("POST /channels/:id/test", {
    ...channel,
    summary: "Send a test message",
    description: "Also to a channel that is off, and in quiet hours.",
    limits: [sendLimit],
    request: { params },
    responses: { 202: { description: "Its delivery.", schema: deliverySchema } },
    errors: ["not-found", "channel-unavailable"],
  }),
  listDeliveries: defineRoute("GET /channels/:id/deliveries", {
    ...channel,
    scopes: ["read"],
    summary: "Deliveries of a channel, newest first",
    description: "50 per page. They are kept for 30 days.",
    request: { params, query: deliveryQuerySchema },
    responses: { 200: { description: "One page.", schema: deliveryPageSchema } },
    errors: ["not-found"],
  }),
  resendDelivery: defineRoute("POST /channels/:id/deliveries/:deliveryId/resend", {
    ...channel,
    summary: "Send a message again",
    description:
      "With the same `webhook-id`, even if it is late. The events of the last 7 days are kept.",
    limits: [sendLimit],
    request: { params: z.object({ id, deliveryId: z.string() }) },
    responses: { 202: { description: "The delivery.", schema: deliverySchema } },
    errors: ["not-found", "channel-unavailable"],
  }),
  rotateSecret: defineRoute("POST /channels/:id/rotate-secret", {
    ...channel,
    summary: "Replace the secret of a webhook",
    description: "For 24 hours, messages are signed with both secrets.",
    limits: [changeLimit],
    request: { params },
    responses: { 200: { description: "The secret, shown once.", schema: rotatedSecretSchema } },
    errors: ["not-found"],
  }),
  unsubscribe: defineRoute("POST /unsubscribe", {
    tag: "Channels",
    access: "public",
    summary: "Turn off an email channel with the token of an email",
    description: "One-click unsubscribing (RFC 8058).",
    limits: [
      {
        name: "unsubscribe",
        points: 60,
        per: "minute",
        by: ["address"],
        onlyAfter: "invalid-token",
      },
    ],
    request: { query: z.object({ token: z.string() }) },
    responses: { 200: done },
    errors: ["invalid-token"],
  }),
  getPushKey: defineRoute("GET /push/public-key", {
    tag: "Channels",
    access: "public",
    summary: "The key with which browsers subscribe to web push (VAPID)",
    responses: { 200: { description: "The key.", schema: publicKeySchema } },
    errors: ["channel-unavailable"],
    usesDatabase: false,
  }),
  getQuietHours: defineRoute("GET /me/quiet-hours", {
    ...channel,
    scopes: ["read"],
    summary: "Your quiet hours",
    responses: { 200: { description: "Null if there are none.", schema: quietHoursSettingSchema } },
  }),
  setQuietHours: defineRoute("PUT /me/quiet-hours", {
    ...channel,
    summary: "Set your quiet hours, or none",
    description:
      "In them, messages that people read are held, and then summarised in one. Webhooks are not affected.",
    limits: [changeLimit],
    request: { body: quietHoursSettingSchema },
    responses: { 200: { description: "The quiet hours.", schema: quietHoursSettingSchema } },
  }),
  getDeliverySettings: defineRoute("GET /me/delivery-settings", {
    ...channel,
    scopes: ["read"],
    summary: "Whether messages that are not delivered go to your next channel",
    responses: { 200: { description: "Off by default.", schema: deliverySettingsSchema } },
  }),
  setDeliverySettings: defineRoute("PUT /me/delivery-settings", {
    ...channel,
    summary: "Choose whether messages that are not delivered go to your next channel",
    description:
      "A message that a channel has not delivered within 60 seconds goes to the next one of your channels that people read, works and does not get it anyway, once. Its minimum confidence and quiet hours apply. Tests and repeated messages stay where they are.",
    limits: [changeLimit],
    request: { body: deliverySettingsSchema },
    responses: { 200: { description: "The setting.", schema: deliverySettingsSchema } },
  }),
  markProblemsSeen: defineRoute("POST /me/channel-problems/seen", {
    ...channel,
    summary: "Mark problems of your channels as seen",
    description:
      "Takes the time of the newest problem that you have seen (`channel_problems` of `GET /me/notifications`); an earlier time than before changes nothing. Your other tabs and devices receive `channel-problems:seen`.",
    limits: [changeLimit],
    request: { body: seenChannelProblemsSchema },
    responses: { 204: { description: "The problems are marked as seen." } },
  }),
  getTotals: defineRoute("GET /admin/channels", {
    ...administration,
    summary: "Totals of all channels by kind, and failing receivers",
    responses: { 200: { description: "The current state.", schema: channelTotalsSchema } },
  }),
  pauseDeliveries: defineRoute("POST /admin/channels/pause", {
    ...administration,
    summary: "Pause all deliveries",
    description: "Attempts that run are finished.",
    responses: { 200: done },
  }),
  resumeDeliveries: defineRoute("POST /admin/channels/resume", {
    ...administration,
    summary: "Resume all deliveries",
    description: "What has become late meanwhile is suppressed.",
    responses: { 200: done },
  }),
};
