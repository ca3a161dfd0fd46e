import type { Timeframe } from "@shared/contract/market-data.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

export const TELEGRAM_CHANNEL_ID = "telegram-channel";

/** The paid Telegram channel; one document. */
export interface TelegramChannelRecord {
  _id: typeof TELEGRAM_CHANNEL_ID;
  enabled: boolean;
  /** Of Telegram; empty until it is set. */
  chatId: string;
  markets: { symbol: string; timeframe: Timeframe }[];
  minConfidence: number;
  updatedAt: Date;
}

const telegramChannelSchema = recordSchema<TelegramChannelRecord>("telegram_channel", {
  _id: String,
});

/** Somebody in the channel who is no administrator of it. */
export interface TelegramMemberRecord {
  /** Keyed hash of their id, as in `chatHash` of a channel. */
  _id: string;
  /** The channel. */
  chatId: string;
  /** Encrypted: their id. */
  target: string;
  since: Date;
  /** Set before they are removed, until they may join again. */
  isRemoving?: true;
}

const telegramMemberSchema = recordSchema<TelegramMemberRecord>("telegram_members", {
  _id: String,
});

telegramMemberSchema.index({ chatId: 1 });

/** The post of a trade; `_id` is that of the analysis. */
export interface TelegramPostRecord {
  _id: Types.ObjectId;
  chatId: string;
  messageId: number;
  /** What it says of the trade. */
  shown: "posted" | "filled" | "ended";
  postedAt: Date;
}

/** Longer than any trade is open. */
const POST_RETENTION_DAYS = 365;

const telegramPostSchema = recordSchema<TelegramPostRecord>("telegram_posts");
telegramPostSchema.index({ postedAt: 1 }, { expireAfterSeconds: POST_RETENTION_DAYS * 86_400 });

export const telegramChannelModels = (connection: Connection) => ({
  telegramChannel: modelOf(connection, telegramChannelSchema),
  telegramMembers: modelOf(connection, telegramMemberSchema),
  telegramPosts: modelOf(connection, telegramPostSchema),
});
