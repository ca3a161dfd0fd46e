import {
  type ChannelKind,
  channelKindSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { Settings } from "@shared/runtime/settings.ts";
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

/** What a kind needs of the settings. The others need nothing. */
const IS_SET_UP: Partial<Record<ChannelKind, (settings: KindSettings) => boolean>> = {
  telegram: ({ TELEGRAM_BOT_TOKEN: token }) => Boolean(token),
  "web-push": ({ VAPID_PUBLIC_KEY: publicKey }) => Boolean(publicKey),
};

type KindSettings = Pick<Settings, "TELEGRAM_BOT_TOKEN" | "VAPID_PUBLIC_KEY">;

/** The kinds of which a channel can be added to this service. */
export const offeredKinds = (settings: KindSettings): ChannelKind[] =>
  channelKindSchema.options.filter((kind) => IS_SET_UP[kind]?.(settings) ?? true);
