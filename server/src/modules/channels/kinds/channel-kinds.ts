import type { ChannelKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import { discordTarget } from "./discord.ts";
import { emailTarget } from "./email.ts";
import type { MakeTarget } from "./new-target.ts";
import { telegramTarget } from "./telegram.ts";
import { pushTarget } from "./web-push.ts";
import { webhookTarget } from "./webhook.ts";

/** What is made of the input for a channel of each kind. */
export const CHANNEL_KINDS: Record<ChannelKind, MakeTarget> = {
  email: emailTarget,
  telegram: telegramTarget,
  "web-push": pushTarget,
  webhook: webhookTarget,
  discord: discordTarget,
};
