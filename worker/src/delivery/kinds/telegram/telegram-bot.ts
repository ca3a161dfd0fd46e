import { createHash } from "node:crypto";
import { TELEGRAM_LINK_MINUTES, telegram } from "@shared/contract/channel-kinds/telegram.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import { readBrand } from "@shared/domain/branding.ts";
import { disableChannel } from "@shared/domain/channels.ts";
import { TELEGRAM_JOIN } from "@shared/domain/telegram-channel.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, readStreamHead } from "@shared/outbox/streams.ts";
import { type Html, html } from "@shared/runtime/html.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import { addStandingItems } from "@shared/work/work-handler.ts";
import { addItemIfNone, newWorkItem, workId } from "@shared/work/work-item.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import type { Api } from "grammy";
import { z } from "zod";
import { Lease } from "../../../lease.ts";
import type { ChannelSender, DeliveryDeps, KindDeps, SendResult } from "../../channel-sender.ts";
import { describeMessage, readNamedSignals, wordsOfEvent } from "../../describe-message.ts";
import { answerJoins, keepMembers, noteMember } from "./channel-members.ts";
import { type ChannelBot, postTrades } from "./channel-posts.ts";
import {
  CHAT_INTERVAL_MS,
  readUpdates,
  sendHtml,
  TelegramPace,
  telegramApi,
  telegramFailure,
} from "./telegram-api.ts";
import { joinLines, telegramText } from "./telegram-text.ts";

const ROUND_INTERVAL_MS = 500;

const POLL_RETRY_MS = 5_000;

/** Posts and answers that run when another worker takes over. */
const CHANNEL_DRAIN_MS = 2_000;

const REPLY_TIMEOUT_MS = 30_000;

interface TelegramDeps
  extends Pick<DeliveryDeps, "database" | "logger" | "secrets" | "readTime" | "workerId"> {
  settings: Pick<DeliverySettings, "TELEGRAM_API_URL" | "CLIENT_ORIGIN">;
}

/** Telegram needs a bot of this service. */
export function startTelegram(deps: KindDeps): ChannelSender | null {
  const { TELEGRAM_BOT_TOKEN: token } = deps.settings;
  return token === undefined ? null : startBot(deps, token);
}

/**
 * Takes part in the work for Telegram. One worker does all of it, so that the bot has one reader and the limits hold: it reads
 * what users write to the bot, and its sender is ready. If it stops, another goes on in seconds.
 */
export function startBot(
  deps: TelegramDeps,
  token: string,
): ChannelSender & Required<Pick<ChannelSender, "stop">> {
  const { database, logger, workerId: owner } = deps;
  const origin = deps.settings.CLIENT_ORIGIN[0] ?? "";
  const api = telegramApi(token, deps.settings.TELEGRAM_API_URL);
  const pace = new TelegramPace();
  const lease = new Lease({ database, name: "telegram", owner });
  const bot = { ...deps, api, pace, origin, botId: token.split(":")[0] ?? "" };
  let reader: ReturnType<typeof startReader> | null = null;
  let queue: WorkQueue | null = null;
  let readyAtMs = 0;
  const yieldWork = async () => {
    const stopped = [reader?.stop(), queue?.stop({ drainMs: CHANNEL_DRAIN_MS })];
    reader = null;
    queue = null;
    await Promise.all(stopped);
  };
  const rounds = repeat({
    async work() {
      if (!(await lease.hold())) return yieldWork();
      if (reader) return;
      // The worker before may have sent just now.
      readyAtMs = performance.now() + CHAT_INTERVAL_MS;
      reader = startReader(bot);
      queue = await startChannelWork(bot, owner);
    },
    intervalMs: ROUND_INTERVAL_MS,
    retryMs: ROUND_INTERVAL_MS,
    onError(error) {
      logger.warn({ err: error }, "the lease of the Telegram bot could not be renewed");
      if (!lease.isHeld) void yieldWork();
    },
  });
  const isReady = () => lease.isHeld && reader !== null && performance.now() >= readyAtMs;
  return {
    ...telegramSender({ database, api, pace, origin, isReady }),
    async stop() {
      await rounds.stop();
      await yieldWork();
      await lease.release();
    },
  };
}

/** The work for the paid channel, of the worker that has the bot. */
async function startChannelWork(bot: ChannelBot, workerId: string): Promise<WorkQueue> {
  const { database, logger } = bot;
  const handlers = [postTrades(bot), answerJoins(bot), keepMembers(bot)];
  await addStandingItems(database, handlers);
  const queue = new WorkQueue({ database, logger, workerId, handlers });
  queue.start();
  return queue;
}

type ReaderDeps = TelegramBotDeps & Pick<TelegramDeps, "logger"> & { api: Api; pace: TelegramPace };

/** Reads what users write to the bot. Telegram keeps it until the next message is asked for, so nothing is lost. */
function startReader(deps: ReaderDeps): { stop: () => Promise<void> } {
  const { api, logger } = deps;
  const replies = new Replies(deps);
  let offset = 0;
  return repeat({
    async work(stopping) {
      const found = await readUpdates(api, offset, stopping).catch((error: unknown) => {
        if (stopping.aborted) return [];
        throw error;
      });
      for (const update of z.array(telegramUpdateSchema).parse(found)) {
        await handleChannelUpdate(deps, update);
        const reply = await handleUpdate(deps, update);
        offset = update.update_id + 1;
        if (reply) replies.send(reply);
      }
    },
    intervalMs: 0,
    retryMs: POLL_RETRY_MS,
    onError(error) {
      const reason = telegramFailure(error)?.error;
      logger.warn(reason ? { reason } : { err: error }, "messages to the Telegram bot not read");
    },
  });
}

/** Answers in the background. A user who writes faster than the bot may answer gets fewer answers, and delays no one. */
class Replies {
  readonly #deps: ReaderDeps;
  readonly #chats = new Set<string>();

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  send(reply: { chatId: string; text: Html }): void {
    const { chatId } = reply;
    const { api, pace, logger } = this.#deps;
    if (this.#chats.has(chatId)) return;
    this.#chats.add(chatId);
    const abort = AbortSignal.timeout(REPLY_TIMEOUT_MS);
    pace
      .run(chatId, abort, () => sendHtml(api, reply, abort))
      .catch((error: unknown) => {
        const reason = telegramFailure(error)?.error ?? "There was no response in time.";
        logger.info({ reason }, "an answer of the Telegram bot was not sent");
      })
      .finally(() => this.#chats.delete(chatId));
  }
}

const telegramUpdateSchema = z.object({
  update_id: z.number().int(),
  /** Only of a private chat; what is not text counts as empty. */
  message: z
    .object({
      text: z.string().default(""),
      chat: z.object({ id: z.number().int(), type: z.literal("private") }),
    })
    .optional()
    .catch(undefined),
  /** Somebody asks to join a channel. */
  chat_join_request: z
    .object({ chat: z.object({ id: z.number().int() }), from: z.object({ id: z.number().int() }) })
    .optional()
    .catch(undefined),
  /** Somebody has joined a channel or left it. */
  chat_member: z
    .object({
      chat: z.object({ id: z.number().int() }),
      from: z.object({ id: z.number().int() }),
      new_chat_member: z.object({
        status: z.string(),
        user: z.object({ id: z.number().int(), is_bot: z.boolean().default(false) }),
      }),
    })
    .optional()
    .catch(undefined),
});
type TelegramUpdate = z.infer<typeof telegramUpdateSchema>;

interface TelegramBotDeps extends Pick<DeliveryDeps, "database" | "secrets" | "readTime"> {
  /** Of the web pages. */
  origin: string;
  /** Numbers of updates are those of one bot. */
  botId: string;
}

/** What happens in the paid channel. Telegram gives it again after a crash, which changes nothing then. */
async function handleChannelUpdate(deps: ReaderDeps, update: TelegramUpdate): Promise<void> {
  const { database, secrets, botId } = deps;
  const { update_id, chat_join_request: join, chat_member: change } = update;
  if (join) {
    const target = secrets.seal({ kind: "telegram", chatId: String(join.from.id) });
    const data = { chatId: String(join.chat.id), target };
    const id = workId(TELEGRAM_JOIN, `${botId}:${update_id}`);
    await addItemIfNone(
      database,
      newWorkItem({ kind: TELEGRAM_JOIN, id, data, dueAt: database.now() }),
    );
  }
  if (change) {
    const { status, user } = change.new_chat_member;
    await noteMember(deps, {
      chatId: String(change.chat.id),
      personId: String(user.id),
      status,
      isBot: user.is_bot,
      isOwn: String(change.from.id) === botId,
    });
  }
}

/**
 * Does what a message asks for, once: its effects are committed together with its number.
 * @returns what to answer; null for what needs no answer, or was dealt with before
 */
async function handleUpdate(
  deps: TelegramBotDeps,
  { update_id, message }: TelegramUpdate,
): Promise<{ chatId: string; text: Html } | null> {
  if (!message) return null;
  const at = await deps.readTime();
  const chatId = String(message.chat.id);
  const _id = `${deps.botId}:${update_id}`;
  const options = { lockKeys: "telegram", now: () => at };
  const text = await commit(deps.database, options, async (uow) => {
    const { upsertedCount } = await deps.database.telegramUpdates.updateOne(
      { _id },
      { $setOnInsert: { at } },
      { upsert: true, session: uow.session },
    );
    return upsertedCount === 1 ? obey(deps, uow, chatId, message.text) : null;
  });
  return text && { chatId, text };
}

function obey(
  deps: TelegramBotDeps,
  uow: UnitOfWork,
  chatId: string,
  text: string,
): Html | Promise<Html> {
  const [, command, argument] = /^\/(\w+)(?:@\w+)?(?:\s+(\S+))?/.exec(text) ?? [];
  switch (command) {
    case "start":
      return argument ? link(deps, uow, chatId, argument) : help(deps);
    case "stop":
      return stop(deps, uow, chatId);
    case "status":
      return status(deps, uow, chatId);
    default:
      return help(deps);
  }
}

const notifications = ({ origin }: Pick<TelegramBotDeps, "origin">): Html =>
  html`<a href="${new URL("/user-panel", origin).href}">Notifications</a>`;

const help = (deps: TelegramBotDeps): Html =>
  joinLines([
    html`/status shows what this chat gets, /stop turns it off.`,
    html`To connect a chat, open ${notifications(deps)} in the app.`,
  ]);

const connectAgain = (deps: TelegramBotDeps): Html =>
  html`Open ${notifications(deps)} in the app and connect Telegram again.`;

const findByChat = (
  { database, secrets }: TelegramBotDeps,
  { session }: UnitOfWork,
  chatId: string,
): Promise<ChannelRecord | null> =>
  database.channels
    .findOne({ chatHash: secrets.hashChat(chatId) })
    .session(session)
    .lean();

async function link(
  deps: TelegramBotDeps,
  uow: UnitOfWork,
  chatId: string,
  code: string,
): Promise<Html> {
  const codeHash = createHash("sha256").update(code).digest("hex");
  const channel = await deps.database.channels
    .findOne({ "link.codeHash": codeHash })
    .session(uow.session)
    .lean();
  if (!channel?.link) {
    const isLinked = (await findByChat(deps, uow, chatId)) !== null;
    return isLinked
      ? html`This link is wrong or was used already. This chat is connected: see /status.`
      : html`This link is wrong or was used already. ${connectAgain(deps)}`;
  }
  if (channel.link.expiresAt <= uow.at) {
    return html`This link has expired: it is valid for ${TELEGRAM_LINK_MINUTES} minutes. ${connectAgain(deps)}`;
  }
  await releaseChat(deps, uow, chatId);
  await turnOn(deps, uow, channel, chatId);
  const user = await deps.database.users.findById(channel.userId).session(uow.session).lean();
  return joinLines([
    html`<b>Connected.</b> Messages for ${user?.username} arrive here from now on.`,
    html`/status shows what you get, /stop turns it off.`,
  ]);
}

/** A chat belongs to one channel: linking it again moves it. The user of the other channel gets an event. */
async function releaseChat(deps: TelegramBotDeps, uow: UnitOfWork, chatId: string): Promise<void> {
  const channel = await findByChat(deps, uow, chatId);
  if (!channel) return;
  const { database } = deps;
  await disableChannel(database, uow, channel, "unsubscribed");
  await database.channels.updateOne(
    { _id: channel._id },
    { $set: { target: null }, $unset: { chatHash: 1 } },
    { session: uow.session },
  );
}

/** Events from now on are sent. */
async function turnOn(
  { database, secrets }: TelegramBotDeps,
  { session }: UnitOfWork,
  channel: ChannelRecord,
  chatId: string,
): Promise<void> {
  const { _id, userId, afterAdminSeq } = channel;
  const user = await database.users.findById(userId).session(session).lean();
  const adminHead = await readStreamHead(database, ADMINS_STREAM);
  const set = {
    target: secrets.seal({ kind: "telegram", chatId }),
    chatHash: secrets.hashChat(chatId),
    enabled: true,
    disabledReason: null,
    afterSeq: user?.lastEventSeq ?? 0,
    afterAdminSeq: afterAdminSeq === null ? null : adminHead,
  };
  await database.channels.updateOne({ _id }, { $set: set, $unset: { link: 1 } }, { session });
}

async function stop(deps: TelegramBotDeps, uow: UnitOfWork, chatId: string): Promise<Html> {
  const channel = await findByChat(deps, uow, chatId);
  if (!channel) return notConnected(deps);
  await disableChannel(deps.database, uow, channel, "unsubscribed");
  return html`Messages are off. Turn them on again in the app, under ${notifications(deps)}.`;
}

const notConnected = (deps: TelegramBotDeps): Html =>
  html`This chat is not connected. Open ${notifications(deps)} in the app to connect Telegram.`;

async function status(deps: TelegramBotDeps, uow: UnitOfWork, chatId: string): Promise<Html> {
  const channel = await findByChat(deps, uow, chatId);
  if (!channel) return notConnected(deps);
  const { enabled, events, minConfidence } = channel;
  const last = await deps.database.deliveries
    .findOne({ channelId: channel._id })
    .sort({ order: -1 })
    .session(uow.session)
    .lean();
  const { formatTime } = await readBrand(deps.database);
  const wanted = events.map(wordsOfEvent).join(", ") || "Nothing";
  return joinLines([
    enabled
      ? html`<b>Messages are on.</b>`
      : html`<b>Messages are off.</b> Turn them on in the app, under ${notifications(deps)}.`,
    html`You get: ${wanted}`,
    html`Minimum confidence of new signals: ${minConfidence}%`,
    last
      ? html`Last message: ${formatTime(last.createdAt)}, ${last.status}`
      : html`No messages yet.`,
  ]);
}

/** The user has blocked the bot, or deleted their account. */
const FORBIDDEN = 403;

interface TelegramSenderDeps {
  database: Database;
  api: Api;
  pace: TelegramPace;
  /** Of the web pages. */
  origin: string;
  /** One worker sends at a time, so that the limits hold over all workers. */
  isReady: () => boolean;
}

/** Sends messages to Telegram chats, within the limits of Telegram. */
export const telegramSender = (deps: TelegramSenderDeps): ChannelSender => ({
  isReady: deps.isReady,
  async send(message, abort) {
    const { chatId } = telegram.target.parse(message.target);
    const signals = await readNamedSignals(deps.database, message);
    const brand = await readBrand(deps.database);
    const text = telegramText(describeMessage(message, signals, brand), deps.origin, brand);
    try {
      return await deps.pace.run(chatId, abort, async () => {
        if (!deps.isReady()) return notSent("Another worker has taken over.");
        await sendHtml(deps.api, { chatId, text }, abort);
        return { outcome: "delivered", responseStatus: 200, error: null };
      });
    } catch (error) {
      return abort.aborted ? notSent("There was no response in time.") : resultOf(error);
    }
  },
});

const notSent = (error: string): SendResult => ({ outcome: "retry", responseStatus: null, error });

function resultOf(cause: unknown): SendResult {
  const failure = telegramFailure(cause);
  if (!failure) throw cause;
  const { status: responseStatus, retryAfterMs, error } = failure;
  return {
    outcome: responseStatus === FORBIDDEN ? "gone" : "retry",
    responseStatus,
    error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
