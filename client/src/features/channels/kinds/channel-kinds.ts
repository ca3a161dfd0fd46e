import type { ChannelKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { ClientChannelKind } from "./channel-kind.ts";
import { discord } from "./discord.tsx";
import { email } from "./email.ts";
import { telegram } from "./telegram.tsx";
import { webPush } from "./web-push/web-push.ts";
import { webhook } from "./webhook.tsx";

/** In the order in which they are offered. */
export const CHANNEL_KINDS: Record<ChannelKind, ClientChannelKind> = {
  telegram,
  "web-push": webPush,
  email,
  webhook,
  discord,
};
