import type { ChannelEvent, DeliveryStatus, MessageType } from "@shared/contract/channels.ts";

export const EVENT_LABELS: Record<ChannelEvent, string> = {
  "signal.completed": "A signal is ready",
  "signal.filled": "The entry of a trade is filled",
  "signal.entry_left": "An entry is missed",
  "signal.outcome": "A trade has won, lost or expired",
  "account.updated": "Your account changes",
  "subscription.expiring": "Your subscription ends soon",
  "proof.submitted": "A user sends a payment proof",
  "user.registered": "A user registers",
  "budget.reached": "The AI budget is nearly or fully spent",
};

export const MESSAGE_LABELS: Record<MessageType, string> = {
  ...EVENT_LABELS,
  "channel.test": "Test message",
  "channel.summary": "Summary of your quiet hours",
};

export const STATUS_LABELS: Record<DeliveryStatus, string> = {
  delivered: "Delivered",
  retrying: "Being sent",
  failed: "Failed",
  suppressed: "Not sent",
};

export const STATUS_COLORS: Record<DeliveryStatus, string> = {
  delivered: "text-buy",
  retrying: "text-wait",
  failed: "text-danger",
  suppressed: "text-ink-muted",
};
