import type { ChannelKind, ChannelTarget } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { MessageType } from "@shared/contract/channels.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import type { AddressPolicy } from "@shared/domain/public-address.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import type { WorkerMetrics } from "../worker-metrics.ts";

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
  /** Of a signal: after this time, it can no longer be acted upon. */
  validUntil: Date | null;
}

export interface SendResult {
  /**
   * `gone`: the receiver refuses messages for good, so the channel is turned off. `skipped`: it is not sent messages of this type.
   */
  outcome: "delivered" | "retry" | "gone" | "skipped";
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
  /** Channels that one worker works on at once; 100 unless given. */
  maxInFlight?: number;
  /** Ends what it does in the background. */
  stop?(): Promise<void>;
}

/** Channels of a kind without a sender wait. */
export type ChannelSenders = Partial<Record<ChannelKind, ChannelSender>>;

/** What webhooks and browsers receive (`channelMessageSchema`). */
export const messageJson = (
  { type, timestamp, data }: Pick<ChannelMessage, "type" | "timestamp" | "data">,
  more: Record<string, string> = {},
): string => JSON.stringify({ type, timestamp: timestamp.toISOString(), data, ...more });

export interface DeliveryDeps {
  database: Database;
  logger: Logger;
  settings: Pick<DeliverySettings, "NODE_ENV" | "VITE_API_URL">;
  secrets: ChannelSecrets;
  senders: ChannelSenders;
  metrics: Pick<WorkerMetrics, "deliveryAttempted">;
  /** The time that all workers share: that of the database. */
  readTime: () => Promise<Date>;
  /** From 0 to 1, for the jitter of retries. */
  random: () => number;
  workerId: string;
  attemptTimeoutMs?: number;
}

/** What the sender of a kind is made with. */
export interface KindDeps
  extends Pick<DeliveryDeps, "database" | "logger" | "secrets" | "readTime" | "workerId"> {
  settings: DeliverySettings;
  /** Which addresses of users may be called. */
  policy: AddressPolicy;
  now: () => Date;
}
