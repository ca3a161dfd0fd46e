import type { ChannelKind, MessageType } from "@shared/contract/channels.ts";
import type { ChannelTarget } from "@shared/runtime/channel-secrets.ts";

/** One message to one channel. */
export interface ChannelMessage {
  /** The same in all attempts. */
  id: string;
  channelId: string;
  type: MessageType;
  /** Time of the event. */
  timestamp: Date;
  /** Of an event as in its push (`eventSchemas`), of a summary as in `summarySchema`, of a test a sentence. */
  data: unknown;
  target: ChannelTarget;
  user: { username: string; email: string };
  /** Time of this attempt. */
  sentAt: Date;
  /** After this time, the message is of no use. */
  expiresAt: Date;
}

export interface SendResult {
  /** `gone`: the receiver refuses messages for good, so the channel is turned off. */
  outcome: "delivered" | "retry" | "gone";
  responseStatus: number | null;
  /** For the user's delivery log. Contains no secret and nothing of the response's body. */
  error: string | null;
  /** How long the receiver wants to be left alone. */
  retryAfterMs?: number;
}

/** Sends messages to channels of one kind. An error that it throws counts as `retry`. */
export interface ChannelSender {
  /** @param abort fires when the attempt has taken 10 s */
  send(message: ChannelMessage, abort: AbortSignal): Promise<SendResult>;
  /** While it is false, this worker leaves channels of the kind to others. */
  isReady?(): boolean;
}

/** Channels of a kind without a sender wait. */
export type ChannelSenders = Partial<Record<ChannelKind, ChannelSender>>;

/** What webhooks and browsers receive (`channelMessageSchema`). */
export const messageJson = ({
  type,
  timestamp,
  data,
}: Pick<ChannelMessage, "type" | "timestamp" | "data">): string =>
  JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
