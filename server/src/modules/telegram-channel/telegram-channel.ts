import { HOUR_MS } from "@shared/contract/constants.ts";
import { telegramChannelRoutes } from "@shared/contract/routes/telegram-channel-routes.ts";
import {
  BOT_RIGHTS,
  type BotRight,
  type ChannelInvite,
  DIRECT_MESSAGES_PER_SECOND,
  type TelegramChannel,
  type TelegramChannelChange,
  type TelegramChannelState,
} from "@shared/contract/telegram-channel.ts";
import { isWatchable } from "@shared/contract/watchlist.ts";
import { TELEGRAM_CHANNEL_ID } from "@shared/database/models/telegram-channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  countLinked,
  findLinked,
  readTelegramChannel,
  TELEGRAM_JOIN,
} from "@shared/domain/telegram-channel.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import { unavailable } from "../../http/errors.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";
import { invalidField } from "../channels/kinds/new-target.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";
import { callBot } from "./bot-api.ts";

/** The paid Telegram channel: its settings, and how users get into it. */
export const telegramChannelHandlers: BoundRoute[] = [
  handle(telegramChannelRoutes.getTelegramChannel, (_, { deps }) => present(deps)),
  handle(telegramChannelRoutes.updateTelegramChannel, async ({ body }, { deps, session }) => {
    await update(deps, session, body);
    return present(deps);
  }),
  handle(telegramChannelRoutes.testTelegramChannel, async (_, { deps }) => {
    await postTest(deps);
    return { detail: "The test message is posted." };
  }),
  handle(telegramChannelRoutes.joinTelegramChannel, (_, { deps, session }) =>
    createInvite(deps, session.user),
  ),
];

async function present(deps: ServerDeps): Promise<TelegramChannel> {
  const { database } = deps;
  const channel = await readTelegramChannel(database);
  const { enabled, chatId, markets, minConfidence } = channel;
  const [check, members, waiting, linked] = await Promise.all([
    checkBot(deps, channel),
    database.telegramMembers.countDocuments({ chatId }),
    database.jobs.countDocuments({ name: TELEGRAM_JOIN }),
    countLinked(database),
  ]);
  return {
    enabled,
    chat_id: chatId,
    markets: markets.map(({ symbol, timeframe }) => ({ symbol, timeframe })),
    min_confidence: minConfidence,
    ...check,
    members,
    waiting,
    linked,
    direct_seconds: Math.ceil(linked / DIRECT_MESSAGES_PER_SECOND),
  };
}

type BotCheck = Pick<TelegramChannel, "state" | "missing_rights" | "title">;

const memberSchema = z.looseObject({ status: z.string() });
const chatSchema = z.object({ title: z.string().nullish() });

/** What the bot can do in the channel now. */
async function checkBot(
  { settings }: ServerDeps,
  { enabled, chatId }: { enabled: boolean; chatId: string },
): Promise<BotCheck> {
  const none = { missing_rights: [], title: null };
  if (!settings.TELEGRAM_BOT_TOKEN) return { state: "no-bot", ...none };
  if (chatId === "") return { state: "off", ...none };
  const [botId = ""] = settings.TELEGRAM_BOT_TOKEN.split(":");
  try {
    const [chat, own] = await Promise.all([
      callBot(settings, "getChat", { chat_id: chatId }),
      callBot(settings, "getChatMember", { chat_id: chatId, user_id: Number(botId) }),
    ]);
    const title = chatSchema.safeParse(chat.result).data?.title ?? null;
    const member = memberSchema.safeParse(own.result).data;
    if (!chat.ok || !member || !["administrator", "creator"].includes(member.status)) {
      return { state: "not-found", missing_rights: [], title };
    }
    const missing_rights = missingRights(member);
    return { state: stateOf(enabled, missing_rights), missing_rights, title };
  } catch {
    return { state: "unreachable", ...none };
  }
}

const missingRights = (member: z.infer<typeof memberSchema>): BotRight[] =>
  member.status === "creator" ? [] : BOT_RIGHTS.filter((right) => member[right] !== true);

function stateOf(enabled: boolean, missing: readonly BotRight[]): TelegramChannelState {
  if (missing.length > 0) return "missing-rights";
  return enabled ? "ready" : "off";
}

async function update(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  change: TelegramChannelChange,
): Promise<void> {
  const { database } = deps;
  const markets = change.markets && (await checkedMarkets(deps, change.markets));
  await commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    const { session, at } = uow;
    const { _id, ...before } = await readTelegramChannel(database, session);
    const after = {
      ...before,
      ...(change.enabled !== undefined && { enabled: change.enabled }),
      ...(change.chat_id !== undefined && { chatId: change.chat_id }),
      ...(change.min_confidence !== undefined && { minConfidence: change.min_confidence }),
      ...(markets && { markets }),
      updatedAt: at,
    };
    if (after.enabled && after.chatId === "") {
      throw invalidField("chat_id", "Enter the id of the channel, such as -1001234567890.");
    }
    const options = { session, upsert: true };
    await database.telegramChannel.updateOne(
      { _id: TELEGRAM_CHANNEL_ID },
      { $set: after },
      options,
    );
    const { enabled, chatId } = after;
    const details = { enabled, chat_id: chatId, markets: after.markets.length };
    uow.log({ type: "telegram-channel:changed", user: null, details });
  });
}

type Market = NonNullable<TelegramChannelChange["markets"]>[number];

/** Each once. @throws AppError for one that is not analysed at each close */
async function checkedMarkets(deps: ServerDeps, markets: readonly Market[]): Promise<Market[]> {
  const shortest = deps.settings.WATCH_MIN_TIMEFRAME;
  if (markets.some(({ timeframe }) => !isWatchable(timeframe, shortest))) {
    throw invalidField("markets", `Choose timeframes of ${shortest} or longer.`);
  }
  for (const { symbol } of markets) await assertKnownSymbol(deps, symbol);
  const byKey = markets.map((market) => [`${market.symbol} ${market.timeframe}`, market] as const);
  return [...new Map(byKey).values()];
}

async function usableChannel({ database, settings }: ServerDeps): Promise<{ chatId: string }> {
  const channel = await readTelegramChannel(database);
  if (settings.TELEGRAM_BOT_TOKEN && channel.enabled && channel.chatId !== "") return channel;
  throw new AppError("channel-unavailable", "There is no Telegram channel on this service.");
}

async function postTest(deps: ServerDeps): Promise<void> {
  const { chatId } = await usableChannel(deps);
  const answer = await callBot(deps.settings, "sendMessage", {
    chat_id: chatId,
    text: "<b>Test message</b>\nYour channel is working.",
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  });
  if (!answer.ok) throw refusedByTelegram();
}

const refusedByTelegram = () =>
  new AppError(
    "channel-unavailable",
    "Telegram refused it. Check the channel and the bot's rights.",
  );

const INVITE_HOURS = 24;
const MAX_LINK_NAME_LENGTH = 32;
const linkSchema = z.object({ invite_link: z.string() });

/** A link that creates a request to join. It admits its user only: the bot asks who has sent the request. */
async function createInvite(
  deps: ServerDeps,
  { _id: userId, username }: UserRecord,
): Promise<ChannelInvite> {
  const { chatId } = await usableChannel(deps);
  const linked = await findLinked(deps.database, { userId });
  if (!linked) {
    throw new AppError("channel-unavailable", "Connect Telegram under Notifications first.");
  }
  const expiresAt = new Date(deps.now().getTime() + INVITE_HOURS * HOUR_MS);
  const answer = await callBot(deps.settings, "createChatInviteLink", {
    chat_id: chatId,
    name: username.slice(0, MAX_LINK_NAME_LENGTH),
    creates_join_request: true,
    expire_date: Math.floor(expiresAt.getTime() / 1_000),
  });
  if (!answer.ok) throw unavailable();
  const link = linkSchema.safeParse(answer.result).data;
  if (!link) throw unavailable();
  return { invite_link: link.invite_link, expires_at: expiresAt.toISOString() };
}
