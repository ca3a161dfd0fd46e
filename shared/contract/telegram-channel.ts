import { z } from "zod";
import { symbolSchema, timeframeSchema } from "./market-data.ts";

export const MAX_CHANNEL_MARKETS = 100;

/** From this many linked users on, a channel reaches everyone sooner than messages to each. */
export const CHANNEL_RECOMMENDED_FROM = 1_000;

/** How many messages Telegram lets a bot send in a second: 5,000 took 167 s. */
export const DIRECT_MESSAGES_PER_SECOND = 30;

const marketSchema = z.object({ symbol: symbolSchema, timeframe: timeframeSchema });

const CONFIDENCE_RANGE = { error: "Enter a confidence from 0 to 100." };

export const telegramChannelChangeSchema = z
  .object({
    enabled: z.boolean({ error: "Use true or false." }),
    chat_id: z
      .union([z.string(), z.int()], {
        error: "Enter the id of the channel, such as -1001234567890.",
      })
      .transform((id) => String(id).trim())
      .pipe(
        z.string().regex(/^(-\d{1,20}|)$/, {
          error: "Enter the id of the channel, such as -1001234567890.",
        }),
      ),
    markets: z
      .array(marketSchema, { error: "Choose markets." })
      .max(MAX_CHANNEL_MARKETS, { error: `Choose at most ${MAX_CHANNEL_MARKETS} markets.` }),
    min_confidence: z.number(CONFIDENCE_RANGE).min(0, CONFIDENCE_RANGE).max(100, CONFIDENCE_RANGE),
  })
  .partial()
  .meta({ id: "TelegramChannelChange" });
export type TelegramChannelChange = z.infer<typeof telegramChannelChangeSchema>;

/**
 * What the bot can do in the channel, asked when it is read: `no-bot` without `TELEGRAM_BOT_TOKEN`, `not-found` if the bot is no
 * administrator of it, `missing-rights` if it may not post, invite or remove.
 */
export const telegramChannelStateSchema = z.enum([
  "off",
  "no-bot",
  "not-found",
  "missing-rights",
  "unreachable",
  "ready",
]);
export type TelegramChannelState = z.infer<typeof telegramChannelStateSchema>;

export const BOT_RIGHTS = [
  "can_post_messages",
  "can_edit_messages",
  "can_invite_users",
  "can_restrict_members",
] as const;
export type BotRight = (typeof BOT_RIGHTS)[number];

const countSchema = z.number().int().nonnegative();

export const telegramChannelSchema = z
  .object({
    enabled: z.boolean(),
    chat_id: z.string(),
    markets: z.array(marketSchema),
    min_confidence: z.number(),
    state: telegramChannelStateSchema,
    /** What the bot lacks. */
    missing_rights: z.array(z.enum(BOT_RIGHTS)),
    /** As Telegram shows it; null if the bot cannot see it. */
    title: z.string().nullable(),
    /** Whom the bot has admitted and not removed. */
    members: countSchema,
    /** Requests to join that the bot has not answered yet. */
    waiting: countSchema,
    /** Users with a linked Telegram, and how long a message to each of them takes. */
    linked: countSchema,
    direct_seconds: countSchema,
  })
  .meta({ id: "TelegramChannel" });
export type TelegramChannel = z.infer<typeof telegramChannelSchema>;

/** For the user who asks: requests of others who open it are declined. */
export const channelInviteSchema = z
  .object({ invite_link: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: "ChannelInvite" });
export type ChannelInvite = z.infer<typeof channelInviteSchema>;
