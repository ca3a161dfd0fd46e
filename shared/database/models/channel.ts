import type { ChannelKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { ChannelProblemReason } from "@shared/contract/channel-problem.ts";
import type {
  ChannelDisabledReason,
  ChannelEvent,
  DeliveryStatus,
  MessageType,
} from "@shared/contract/channels.ts";
import { DELIVERY_RETENTION_DAYS } from "@shared/contract/constants.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** A channel of a user. Its cursors and its lease make workers deliver each event once and in order. */
export interface ChannelRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  kind: ChannelKind;
  label: string;
  enabled: boolean;
  disabledReason: ChannelDisabledReason | null;
  /** The last one since the channel was turned on. */
  problem?: { reason: ChannelProblemReason; at: Date } | null;
  /** When it was turned on again; absent if it never was off. */
  onSince?: Date;
  events: ChannelEvent[];
  minConfidence: number;
  /** Encrypted: where messages go, with the secrets for it. Null until a Telegram chat is linked. */
  target: string | null;
  /** What the user may have once: the kind, or the hash of a push endpoint. */
  uniqueKey?: string;
  /** Of Telegram, until it is linked: SHA-256 of the code in hex. */
  link?: { codeHash: string; expiresAt: Date };
  /** Of Telegram, to find the channel of a chat (`ChannelSecrets.hashChat`). */
  chatHash?: string;
  createdAt: Date;
  /** Last event of the user's stream that is delivered or needs no delivery. */
  afterSeq: number;
  /** The same of the administrators' stream; null while the user reads none of it. */
  afterAdminSeq: number | null;
  /** Number of the last delivery. */
  lastOrder: number;
  /** When a worker has to look at the channel next; null if there is nothing to do. While it is leased, the lease's end. */
  dueAt: Date | null;
  /** The claim of the worker that holds the channel. */
  leaseId: string | null;
  /** True if something happened while the channel was leased. */
  isWoken: boolean;
  /** True while a delivery is being retried. */
  isFailing: boolean;
  /** Start of the quiet hours in which events are held. */
  heldSince: Date | null;
}

const channelSchema = recordSchema<ChannelRecord>("channels", { userId: ObjectId });
channelSchema.index({ userId: 1, createdAt: 1 });
channelSchema.index(
  { userId: 1, uniqueKey: 1 },
  { unique: true, partialFilterExpression: { uniqueKey: { $exists: true } } },
);
channelSchema.index({ kind: 1, dueAt: 1 });
channelSchema.index(
  { afterAdminSeq: 1 },
  { partialFilterExpression: { afterAdminSeq: { $gte: 0 } } },
);
channelSchema.index({ "link.codeHash": 1 }, { unique: true, sparse: true });
channelSchema.index({ chatHash: 1 }, { unique: true, sparse: true });

/** A message to a channel. Its content is read from the event when it is sent. */
export interface DeliveryRecord {
  /** The id of the message in all attempts. */
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  userId: Types.ObjectId;
  /** Counts from 1 in each channel. Deliveries are made in this order. */
  order: number;
  type: MessageType;
  /** The event, or the events that a summary covers. A test has none. */
  source?: DeliverySource;
  /** Time of the event. */
  eventAt: Date;
  status: DeliveryStatus;
  /** Asked for by the user: sent even if it is late, or in quiet hours. */
  isRequested: boolean;
  attempts: number;
  responseStatus: number | null;
  error: string | null;
  /** Null unless the status is `retrying`. */
  nextAttemptAt: Date | null;
  createdAt: Date;
  /** When the receiver took it. */
  deliveredAt?: Date;
  /** The message of another channel, which did not deliver it in time. It has no `source` of its own. */
  passedOn?: { fromChannelId: Types.ObjectId; source: DeliverySource };
}

/** `seq` from `fromSeq` on, in one stream. */
export interface DeliverySource {
  stream: "user" | "admins";
  fromSeq: number;
  seq: number;
}

const deliverySchema = recordSchema<DeliveryRecord>("deliveries", {
  channelId: ObjectId,
  userId: ObjectId,
});
deliverySchema.index({ channelId: 1, order: -1 }, { unique: true });
deliverySchema.index(
  { channelId: 1, "source.stream": 1, "source.seq": 1 },
  { unique: true, partialFilterExpression: { source: { $exists: true } } },
);
deliverySchema.index(
  { channelId: 1, order: 1 },
  { name: "open", partialFilterExpression: { status: "retrying" } },
);
deliverySchema.index({ userId: 1 });
deliverySchema.index({ createdAt: 1 }, { expireAfterSeconds: DELIVERY_RETENTION_DAYS * 86_400 });

/** A message to the Telegram bot that was dealt with. Telegram keeps unread ones for a day. */
interface TelegramUpdateRecord {
  /** `<id of the bot>:<id of the update>`. */
  _id: string;
  at: Date;
}

const telegramUpdateSchema = recordSchema<TelegramUpdateRecord>("telegram_updates", {
  _id: String,
});
telegramUpdateSchema.index({ at: 1 }, { expireAfterSeconds: 3 * 86_400 });

export const DELIVERY_CONTROL_ID = "deliveries";

/** Whether deliveries are paused; one document. */
interface DeliveryControlRecord {
  _id: typeof DELIVERY_CONTROL_ID;
  paused: boolean;
}

const deliveryControlSchema = recordSchema<DeliveryControlRecord>("delivery_control", {
  _id: String,
});

export const channelModels = (connection: Connection) => ({
  channels: modelOf(connection, channelSchema),
  deliveries: modelOf(connection, deliverySchema),
  deliveryControl: modelOf(connection, deliveryControlSchema),
  telegramUpdates: modelOf(connection, telegramUpdateSchema),
});
