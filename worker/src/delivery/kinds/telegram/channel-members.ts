import { setTimeout as delay } from "node:timers/promises";
import { telegram } from "@shared/contract/channel-kinds/telegram.ts";
import { HOUR_MS } from "@shared/contract/constants.ts";
import type { TelegramMemberRecord } from "@shared/database/models/telegram-channel.ts";
import {
  findEntitled,
  findUnentitled,
  isEntitled,
  readTelegramChannel,
  TELEGRAM_JOIN,
} from "@shared/domain/telegram-channel.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { doubling, repeatedly, untilDone, type WorkHandler } from "@shared/work/work-handler.ts";
import { GrammyError } from "grammy";
import { z } from "zod";
import { type ChannelBot, inMs } from "./channel-posts.ts";
import { URGENT, untilLimited } from "./telegram-api.ts";

/** Members without access are looked for this often. */
const SWEEP_MS = 15_000;

/** Everyone is compared with what Telegram says this often, and when a worker takes over. */
const RECONCILE_MS = HOUR_MS;

const BATCH = 25;

const JOIN_PLACES = 20;

export const joinSchema = z.object({ chatId: z.string(), target: z.string() });

/** Answers requests to join: of users with access and a linked Telegram with yes, of all others with no. */
export const answerJoins = (bot: ChannelBot): WorkHandler =>
  untilDone(bot, {
    kind: TELEGRAM_JOIN,
    concurrency: JOIN_PLACES,
    retryDelayMs: doubling({ first: 1_000, max: 15_000 }),
    run: async ({ data }) => {
      const { chatId, target } = joinSchema.parse(data);
      const personId = openPerson(bot, target);
      const again = personId && (await untilLimited(() => answerJoin(bot, { chatId, personId })));
      return again ? inMs(bot, again) : null;
    },
  });

interface Person {
  /** The channel. */
  chatId: string;
  /** Of Telegram. */
  personId: string;
}

function openPerson({ secrets }: Pick<ChannelBot, "secrets">, target: string): string | null {
  const opened = telegram.target.safeParse(secrets.open(target));
  return opened.data?.chatId ?? null;
}

/** One at a time for each person, so that no one is removed while they are let in. */
const one = <Result>(bot: ChannelBot, hash: string, work: () => Promise<Result>): Promise<Result> =>
  withKeys(bot.pace, [`member ${hash}`], work);

async function answerJoin(bot: ChannelBot, { chatId, personId }: Person): Promise<void> {
  const { database, secrets, api } = bot;
  const channel = await readTelegramChannel(database);
  if (!channel.enabled || channel.chatId !== chatId) return;
  const hash = secrets.hashChat(personId);
  await one(bot, hash, async () => {
    if (!(await isEntitled(database, hash, database.now()))) {
      await turn(bot, personId, () => api.declineChatJoinRequest(chatId, Number(personId)));
      return;
    }
    // Before they are let in, so that they are found when their access ends, also after a crash.
    await remember(bot, { chatId, personId });
    await turn(bot, personId, () => api.approveChatJoinRequest(chatId, Number(personId)));
  });
}

/** Another call of the bot, within its limits. What Telegram refuses for good has happened already, or cannot. */
async function turn(
  bot: ChannelBot,
  personId: string,
  call: () => Promise<unknown>,
  priority = URGENT,
) {
  const abort = AbortSignal.timeout(CALL_TIMEOUT_MS);
  try {
    return await bot.pace.run(`member ${personId}`, abort, call, priority);
  } catch (error) {
    if (error instanceof GrammyError && error.error_code === 400) return null;
    throw error;
  }
}

const CALL_TIMEOUT_MS = 60_000;

async function remember(
  { database, secrets }: Pick<ChannelBot, "database" | "secrets">,
  { chatId, personId }: Person,
): Promise<void> {
  const target = secrets.seal({ kind: "telegram", chatId: personId });
  await database.telegramMembers.updateOne(
    { _id: secrets.hashChat(personId) },
    { $set: { chatId }, $setOnInsert: { target, since: database.now() } },
    { upsert: true },
  );
}

const OUTSIDE = ["left", "kicked"];
const ADMINISTRATORS = ["administrator", "creator"];

interface MemberChange extends Person {
  status: string;
  isBot: boolean;
  /** True if the bot itself has done it. */
  isOwn: boolean;
}

/** Notes who is in the channel. Those who may not be there are found by the next sweep. */
export async function noteMember(bot: ChannelBot, change: MemberChange): Promise<void> {
  const { database, secrets } = bot;
  const { chatId, personId, status, isBot, isOwn } = change;
  const channel = await readTelegramChannel(database);
  if (channel.chatId !== chatId || isBot) return;
  const _id = secrets.hashChat(personId);
  await one(bot, _id, async () => {
    if (ADMINISTRATORS.includes(status)) await database.telegramMembers.deleteOne({ _id });
    else if (!OUTSIDE.includes(status)) await remember(bot, { chatId, personId });
    else if (!isOwn) await database.telegramMembers.deleteOne({ _id, isRemoving: { $ne: true } });
  });
}

/** Removes members whose access has ended, and every hour makes the members equal those who may be in the channel. */
export function keepMembers(bot: ChannelBot): WorkHandler {
  let reconciledAtMs = Number.NEGATIVE_INFINITY;
  let left: Reconciliation | null = null;
  return repeatedly(bot, {
    kind: "telegram-members",
    retryDelayMs: doubling({ first: 1_000, max: SWEEP_MS }),
    run: async (abort) => {
      const { enabled, chatId } = await readTelegramChannel(bot.database);
      if (!enabled || chatId === "") return inMs(bot, SWEEP_MS);
      await bot.database.telegramMembers.deleteMany({ chatId: { $ne: chatId } });
      const waitMs = await untilLimited(async () => {
        await removeUnentitled(bot, chatId, abort);
        if (left?.chatId !== chatId) left = null;
        if (!left && performance.now() - reconciledAtMs < RECONCILE_MS) return;
        left ??= await startReconciliation(bot, chatId);
        await reconcile(bot, left, abort);
        if (left.targets.length > 0) return;
        left = null;
        reconciledAtMs = performance.now();
      });
      return inMs(bot, waitMs ?? (left ? 0 : SWEEP_MS));
    },
  });
}

async function removeUnentitled(bot: ChannelBot, chatId: string, abort: AbortSignal) {
  const { database } = bot;
  const found: TelegramMemberRecord[] = await findUnentitled(database, chatId, database.now());
  await inBatches(found, abort, (member) => remove(bot, member));
}

async function inBatches<Item>(
  items: readonly Item[],
  abort: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let index = 0; index < items.length && !abort.aborted; index += BATCH) {
    const results = await Promise.allSettled(items.slice(index, index + BATCH).map(work));
    const failed = results.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }
}

/** A person is banned and unbanned, so that they can come back. Whatever crashes in between is done again. */
async function remove(bot: ChannelBot, { _id, chatId, target }: TelegramMemberRecord) {
  const { api, database } = bot;
  const personId = openPerson(bot, target);
  await one(bot, _id, async () => {
    const isBack = await isEntitled(database, _id, database.now());
    const stored = await database.telegramMembers.findById(_id).lean();
    if (!stored || (isBack && !stored.isRemoving)) return;
    if (personId === null) return void (await database.telegramMembers.deleteOne({ _id }));
    const id = Number(personId);
    if (!isBack) {
      await database.telegramMembers.updateOne({ _id }, { $set: { isRemoving: true } });
      await turn(bot, personId, () => api.banChatMember(chatId, id));
    }
    await turn(bot, personId, () => api.unbanChatMember(chatId, id, { only_if_banned: true }));
    const isInside = isBack && (await isMember(bot, { chatId, personId }));
    await (isInside
      ? database.telegramMembers.updateOne({ _id }, { $unset: { isRemoving: 1 } })
      : database.telegramMembers.deleteOne({ _id }));
  });
}

const memberSchema = z.looseObject({ status: z.string(), is_member: z.boolean().optional() });

/** Not urgent: every hour, all members are looked at. */
async function isMember(bot: ChannelBot, { chatId, personId }: Person): Promise<boolean> {
  const look = () => bot.api.getChatMember(chatId, Number(personId));
  const found = await turn(bot, personId, look, 0);
  const member = memberSchema.safeParse(found).data;
  return member?.status === "member" || member?.is_member === true;
}

interface Reconciliation {
  chatId: string;
  /** Hashes and encrypted ids of those who are still to be asked for. */
  targets: [string, string][];
}

/** Telegram lists no members: each of those who are or may be in the channel is asked for. */
async function startReconciliation(bot: ChannelBot, chatId: string): Promise<Reconciliation> {
  const { database } = bot;
  const known = await database.telegramMembers.find({ chatId, isRemoving: { $ne: true } }).lean();
  const targets = await findEntitled(database, database.now());
  for (const { _id, target } of known) targets.set(_id, target);
  return { chatId, targets: [...targets] };
}

/** Goes on for some seconds: thousands take minutes, in which others lose their access. */
async function reconcile(
  bot: ChannelBot,
  { chatId, targets }: Reconciliation,
  abort: AbortSignal,
): Promise<void> {
  const { database } = bot;
  const endsAtMs = performance.now() + SWEEP_MS;
  while (targets.length > 0 && !abort.aborted && performance.now() < endsAtMs) {
    const batch = targets.slice(0, BATCH);
    await inBatches(batch, abort, async ([_id, target]) => {
      const personId = openPerson(bot, target);
      if (personId === null) return;
      await one(bot, _id, async () => {
        const isInside = await isMember(bot, { chatId, personId });
        if (isInside) await remember(bot, { chatId, personId });
        else await database.telegramMembers.deleteOne({ _id, isRemoving: { $ne: true } });
      });
      await delay(0, undefined, { signal: abort });
    });
    targets.splice(0, batch.length);
  }
}
