import { plainPrice } from "@shared/contract/price.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { TelegramPostRecord } from "@shared/database/models/telegram-channel.ts";
import { readBrand } from "@shared/domain/branding.ts";
import {
  readTelegramChannel,
  TELEGRAM_POST,
  telegramPostSchema,
} from "@shared/domain/telegram-channel.ts";
import type { Html } from "@shared/runtime/html.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { doubling, untilDone, type WorkHandler } from "@shared/work/work-handler.ts";
import { type Api, GrammyError } from "grammy";
import type { DeliveryDeps } from "../../channel-sender.ts";
import type { MessageText } from "../../describe-message.ts";
import { editHtml, sendHtml, type TelegramPace, untilLimited } from "./telegram-api.ts";
import { telegramText } from "./telegram-text.ts";

/** What the work for the paid channel needs of the bot. */
export interface ChannelBot extends Pick<DeliveryDeps, "database" | "logger" | "secrets"> {
  api: Api;
  pace: TelegramPace;
  /** Of the web pages. */
  origin: string;
}

const POST_PLACES = 20;
const SEND_TIMEOUT_MS = 90_000;

/** Posts trades to the channel, each once, and shows there what becomes of them. */
export const postTrades = (bot: ChannelBot): WorkHandler =>
  untilDone(bot, {
    kind: TELEGRAM_POST,
    concurrency: POST_PLACES,
    retryDelayMs: doubling({ first: 1_000, max: 30_000 }),
    run: async ({ data }) => {
      const { analysisId } = telegramPostSchema.parse(data);
      const waitMs = await withKeys(bot.pace, [`post ${analysisId}`], () =>
        untilLimited(async () => {
          // What happens while it is posted is shown by an edit.
          while (await syncPost(bot, analysisId));
        }),
      );
      return waitMs === null ? null : inMs(bot, waitMs);
    },
  });

export const inMs = ({ database }: Pick<ChannelBot, "database">, ms: number): Date =>
  new Date(database.now().getTime() + ms);

type Trade = Pick<
  MarketAnalysisRecord,
  "_id" | "symbol" | "timeframe" | "result" | "filled" | "entryLeft" | "outcome" | "resolution"
>;

/** @returns whether something was sent */
async function syncPost(bot: ChannelBot, analysisId: string): Promise<boolean> {
  const { database } = bot;
  const trade = await database.marketAnalyses
    .findById(analysisId)
    .select({ provenance: 0, fanOut: 0 })
    .lean();
  if (!trade) return false;
  const post = await database.telegramPosts.findById(trade._id).lean();
  if (!post) return (await isPostable(bot, trade)) && sendPost(bot, trade);
  const shown = stateOf(trade);
  if (shown === post.shown) return false;
  await changePost(bot, post, await postText(bot, trade));
  await database.telegramPosts.updateOne({ _id: trade._id }, { $set: { shown } });
  return true;
}

const stateOf = ({ filled, outcome }: Trade): TelegramPostRecord["shown"] => {
  if (outcome) return "ended";
  return filled ? "filled" : "posted";
};

/** A trade that can no longer be acted upon is not posted late. */
async function isPostable({ database }: ChannelBot, trade: Trade): Promise<boolean> {
  const { enabled, chatId, minConfidence } = await readTelegramChannel(database);
  const { final_signal, confidence, valid_until } = trade.result?.analysis ?? {};
  if (!enabled || chatId === "" || final_signal === undefined || final_signal === "WAIT") {
    return false;
  }
  if ((confidence ?? 0) < minConfidence || trade.entryLeft || trade.outcome) return false;
  return !valid_until || new Date(valid_until) > database.now();
}

async function sendPost(bot: ChannelBot, trade: Trade): Promise<boolean> {
  const { database, api, pace } = bot;
  const { chatId } = await readTelegramChannel(database);
  const text = await postText(bot, trade);
  const abort = AbortSignal.timeout(SEND_TIMEOUT_MS);
  const messageId = await pace.run(chatId, abort, () => sendHtml(api, { chatId, text }, abort));
  const post = { chatId, messageId, shown: stateOf(trade), postedAt: database.now() };
  await database.telegramPosts.updateOne(
    { _id: trade._id },
    { $setOnInsert: post },
    { upsert: true },
  );
  return true;
}

/** Edits a post or, if Telegram does not allow that any more, replies to it. One that was deleted is left alone. */
async function changePost(
  { api, pace }: ChannelBot,
  { chatId, messageId }: TelegramPostRecord,
  text: Html,
): Promise<void> {
  const abort = AbortSignal.timeout(SEND_TIMEOUT_MS);
  try {
    await pace.run(chatId, abort, () => editHtml(api, { chatId, messageId, text }, abort));
  } catch (error) {
    if (!(error instanceof GrammyError) || error.error_code !== 400) throw error;
    if (!/can't be edited/.test(error.description)) return;
    const reply = { chatId, text, replyTo: messageId };
    await pace.run(chatId, abort, () => sendHtml(api, reply, abort));
  }
}

async function postText({ database, origin }: ChannelBot, trade: Trade): Promise<Html> {
  const brand = await readBrand(database);
  const timeText = (time: Date | string) => brand.formatTime(new Date(time));
  return telegramText(describeTrade(trade, timeText), origin, brand);
}

/** What the channel says of a trade, which is of no user in particular. */
export function describeTrade(
  { symbol, timeframe, result, filled, outcome, resolution }: Trade,
  timeText: (time: Date | string) => string,
): MessageText {
  const { analysis } = result ?? {};
  const { final_signal: side = "", confidence = 0, entry, stop_loss, take_profit } = analysis ?? {};
  const levels = [
    ["Entry", entry],
    ["Stop loss", stop_loss],
    ["Take profit", take_profit],
  ] as const;
  const r = resolution?.r_multiple;
  const until = filled || outcome ? undefined : analysis?.valid_until;
  const facts = [
    ["Enter before", until && timeText(until)],
    ["Filled", filled && `${plainPrice(filled.price)}, ${timeText(filled.at)}`],
    ["Result", outcome && resultText(outcome, r)],
  ] as const;
  return {
    subject: `${outcome ? `${outcome}: ` : ""}${side} ${symbol} ${timeframe}, ${Math.round(confidence)}% stated confidence`,
    levels: levels.flatMap(([label, price]) =>
      typeof price === "number" ? [[label, plainPrice(price)] as const] : [],
    ),
    facts: facts.flatMap(([label, value]) => (value ? [[label, value] as const] : [])),
    path: `/bot?${new URLSearchParams({ symbol })}`,
    button: "Open in the app",
  };
}

const resultText = (outcome: string, r: number | null | undefined): string =>
  r === null || r === undefined ? outcome : `${outcome}, ${r > 0 ? "+" : ""}${r.toFixed(2)} R`;
