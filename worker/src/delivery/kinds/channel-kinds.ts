import {
  type ChannelKind,
  channelKindSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { ChannelSender, ChannelSenders, KindDeps } from "../channel-sender.ts";
import { startDiscord } from "./discord/discord-sender.ts";
import { startEmail } from "./email/email-sender.ts";
import { startTelegram } from "./telegram/telegram-bot.ts";
import { startWebPush } from "./web-push/web-push-sender.ts";
import { startWebhooks } from "./webhook/webhook-sender.ts";

/** The sender of each kind; null if the kind is not set up, so that its channels wait. */
const CHANNEL_KINDS: Record<ChannelKind, (deps: KindDeps) => ChannelSender | null> = {
  email: startEmail,
  telegram: startTelegram,
  "web-push": startWebPush,
  webhook: startWebhooks,
  discord: startDiscord,
};

export function startSenders(deps: KindDeps): ChannelSenders {
  const senders: ChannelSenders = {};
  for (const kind of channelKindSchema.options) {
    const sender = CHANNEL_KINDS[kind](deps);
    if (sender) senders[kind] = sender;
  }
  return senders;
}

export async function stopSenders(senders: ChannelSenders): Promise<void> {
  await Promise.all(Object.values(senders).map((sender) => sender.stop?.()));
}
