import {
  channelInviteSchema,
  telegramChannelChangeSchema,
  telegramChannelSchema,
} from "@shared/contract/telegram-channel.ts";
import { defineRoute, done } from "./define-route.ts";

const administration = { tag: "Administration", access: "admin" } as const;

export const telegramChannelRoutes = {
  getTelegramChannel: defineRoute("GET /admin/telegram-channel", {
    ...administration,
    summary: "The paid Telegram channel",
    description: "Also asks Telegram what the bot may do in it.",
    responses: { 200: { description: "Settings and state.", schema: telegramChannelSchema } },
  }),
  updateTelegramChannel: defineRoute("PUT /admin/telegram-channel", {
    ...administration,
    summary: "Change the paid Telegram channel",
    description:
      "Omitted fields stay unchanged. Each trade of the chosen markets is posted once. Who has access and a linked Telegram may join; who loses access is removed.",
    limits: [{ name: "telegram-channel", points: 60, per: "hour", by: ["user"] }],
    request: { body: telegramChannelChangeSchema },
    responses: { 200: { description: "Settings and state.", schema: telegramChannelSchema } },
    errors: ["unavailable"],
  }),
  testTelegramChannel: defineRoute("POST /admin/telegram-channel/test", {
    ...administration,
    summary: "Post a test message to the paid Telegram channel",
    limits: [{ name: "telegram-channel-test", points: 10, per: "minute", by: ["user"] }],
    responses: { 200: done },
    errors: ["channel-unavailable", "unavailable"],
  }),
  joinTelegramChannel: defineRoute("POST /me/telegram-channel", {
    tag: "Channels",
    access: "approved",
    summary: "Get a link to the paid Telegram channel",
    description:
      "For users with access whose Telegram is linked. The link creates a request to join, which the bot accepts from this user only.",
    limits: [{ name: "telegram-channel-invites", points: 10, per: "hour", by: ["user"] }],
    responses: { 201: { description: "The link.", schema: channelInviteSchema } },
    errors: ["channel-unavailable", "unavailable"],
  }),
};
