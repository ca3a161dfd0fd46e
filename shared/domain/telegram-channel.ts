import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { addItemIfNone, addWork, newWorkItem, workId } from "@shared/work/work-item.ts";
import type { ClientSession, Types } from "mongoose";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import type { MarketAnalysisRecord } from "../database/models/market-analysis.ts";
import {
  TELEGRAM_CHANNEL_ID,
  type TelegramChannelRecord,
} from "../database/models/telegram-channel.ts";
import { accessFilter, hasAccess } from "./access.ts";

/** The kinds of the work items of the channel, which the worker does that has the bot. */
export const TELEGRAM_POST = "telegram-post";
export const TELEGRAM_JOIN = "telegram-join";

export const telegramPostSchema = z.object({ analysisId: z.string() });

const NO_CHANNEL: Omit<TelegramChannelRecord, "updatedAt"> = {
  _id: TELEGRAM_CHANNEL_ID,
  enabled: false,
  chatId: "",
  markets: [],
  minConfidence: 0,
};

/** Its settings; those of a channel that is off before an administrator has set it. */
export async function readTelegramChannel(
  { telegramChannel }: Database,
  session: ClientSession | null = null,
): Promise<Omit<TelegramChannelRecord, "updatedAt">> {
  const stored = await telegramChannel.findById(TELEGRAM_CHANNEL_ID).session(session).lean();
  return stored ?? NO_CHANNEL;
}

/** What a linked Telegram must be for its user to be let in: not one that was turned off because somebody else may have added it. */
const LINKED = {
  kind: "telegram" as const,
  target: { $ne: null },
  disabledReason: { $ne: "password-changed" as const },
};

export const countLinked = ({ channels }: Database): Promise<number> =>
  channels.countDocuments(LINKED);

/** The linked Telegram of a user, by which they may be let in. */
export const findLinked = (
  { channels }: Database,
  owner: { userId: Types.ObjectId } | { chatHash: string },
) => channels.findOne({ ...LINKED, ...owner }).lean();

/** Whether somebody may be in the channel: a user with access, to whom this Telegram is linked. */
export async function isEntitled(database: Database, chatHash: string, at: Date): Promise<boolean> {
  const channel = await findLinked(database, { chatHash });
  const user = channel && (await database.users.findById(channel.userId).lean());
  return user ? hasAccess(user, at) : false;
}

/** The linked Telegrams of users with access: their hashes and encrypted ids. */
export async function findEntitled(
  { channels, users }: Database,
  at: Date,
): Promise<Map<string, string>> {
  const linked = await channels.find(LINKED).select({ userId: 1, chatHash: 1, target: 1 }).lean();
  const owners = await users
    .find({ _id: { $in: linked.map(({ userId }) => userId) } })
    .select({ approved: 1, subscription: 1 })
    .lean();
  const entitled = new Set(
    owners.filter((user) => hasAccess(user, at)).map(({ _id }) => _id.toString()),
  );
  const found = new Map<string, string>();
  for (const { userId, chatHash, target } of linked) {
    if (chatHash && target && entitled.has(userId.toString())) found.set(chatHash, target);
  }
  return found;
}

/** Those of the stored members who may not be in the channel. */
export const findUnentitled = (
  { telegramMembers, channels, users }: Database,
  chatId: string,
  at: Date,
) =>
  telegramMembers.aggregate([
    { $match: { chatId } },
    {
      $lookup: {
        from: channels.collection.collectionName,
        localField: "_id",
        foreignField: "chatHash",
        pipeline: [
          { $match: LINKED },
          {
            $lookup: {
              from: users.collection.collectionName,
              localField: "userId",
              foreignField: "_id",
              pipeline: [{ $match: accessFilter(at) }, { $project: { _id: 1 } }],
              as: "entitled",
            },
          },
          { $match: { "entitled.0": { $exists: true } } },
          { $project: { _id: 1 } },
        ],
        as: "linked",
      },
    },
    { $match: { $or: [{ "linked.0": { $exists: false } }, { isRemoving: true }] } },
    { $project: { linked: 0 } },
  ]);

type PostedAnalysis = Pick<MarketAnalysisRecord, "_id" | "symbol" | "timeframe">;

/** Has a trade posted, in the transaction that finishes it, if the channel wants its market. */
export async function postTrade(
  database: Database,
  uow: UnitOfWork,
  { _id, symbol, timeframe }: PostedAnalysis,
): Promise<void> {
  const channel = await readTelegramChannel(database, uow.session);
  const isWanted = channel.markets.some(
    (market) => market.symbol === symbol && market.timeframe === timeframe,
  );
  if (channel.enabled && isWanted) addWork(database, uow, postWork(_id, "posted", uow.at));
}

const postWork = (analysisId: Types.ObjectId, what: string, dueAt: Date) => ({
  kind: TELEGRAM_POST,
  id: workId(TELEGRAM_POST, `${analysisId} ${what}`),
  data: { analysisId: analysisId.toString() },
  dueAt,
});

/** Has the post of a trade show that it was filled or has ended. May be called again. */
export async function updatePost(
  database: Database,
  analysisId: Types.ObjectId,
  what: "filled" | "ended",
): Promise<void> {
  const post = await database.telegramPosts.findById(analysisId).select({ shown: 1 }).lean();
  if (!post || post.shown === "ended" || post.shown === what) return;
  await addItemIfNone(database, newWorkItem(postWork(analysisId, what, database.now())));
}
