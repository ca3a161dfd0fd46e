import type { ChannelKind } from "@shared/contract/channels.ts";
import { BellRing, type LucideIcon, Mail, Send, Webhook } from "lucide-react";

export const CHANNEL_NAMES: Record<ChannelKind, string> = {
  email: "Email",
  telegram: "Telegram",
  "web-push": "Browser push",
  webhook: "Webhook",
};

const icons: Record<ChannelKind, LucideIcon> = {
  email: Mail,
  telegram: Send,
  "web-push": BellRing,
  webhook: Webhook,
};

export function ChannelIcon({ kind, className }: { kind: ChannelKind; className: string }) {
  const Icon = icons[kind];
  return <Icon aria-hidden className={className} strokeWidth={1.75} />;
}
