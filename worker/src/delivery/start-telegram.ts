import type { Html } from "@shared/runtime/html.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import type { Api } from "grammy";
import { z } from "zod";
import { Lease } from "../lease.ts";
import type { ChannelSender, DeliveryDeps } from "./channel-sender.ts";
import {
  CHAT_INTERVAL_MS,
  readUpdates,
  sendHtml,
  TelegramPace,
  telegramApi,
  telegramFailure,
} from "./telegram-api.ts";
import { handleUpdate, type TelegramBotDeps, telegramUpdateSchema } from "./telegram-bot.ts";
import { telegramSender } from "./telegram-sender.ts";

const ROUND_INTERVAL_MS = 500;

const POLL_RETRY_MS = 5_000;

const REPLY_TIMEOUT_MS = 30_000;

interface TelegramDeps
  extends Pick<DeliveryDeps, "database" | "logger" | "secrets" | "readTime" | "workerId"> {
  settings: Pick<DeliverySettings, "TELEGRAM_API_URL" | "CLIENT_ORIGIN">;
}

/**
 * Takes part in the work for Telegram. One worker does all of it, so that the bot has one reader and the limits hold: it reads
 * what users write to the bot, and its sender is ready. If it stops, another goes on in seconds.
 */
export function startTelegram(
  deps: TelegramDeps,
  token: string,
): { sender: ChannelSender; stop: () => Promise<void> } {
  const { database, logger, workerId: owner } = deps;
  const origin = deps.settings.CLIENT_ORIGIN[0] ?? "";
  const api = telegramApi(token, deps.settings.TELEGRAM_API_URL);
  const pace = new TelegramPace();
  const lease = new Lease({ database, name: "telegram", owner });
  const bot = { ...deps, api, pace, origin, botId: token.split(":")[0] ?? "" };
  let reader: ReturnType<typeof startReader> | null = null;
  let readyAtMs = 0;
  const yieldWork = async () => {
    const stopped = reader?.stop();
    reader = null;
    await stopped;
  };
  const rounds = repeat({
    async work() {
      if (!(await lease.hold())) return yieldWork();
      if (reader) return;
      // The worker before may have sent just now.
      readyAtMs = performance.now() + CHAT_INTERVAL_MS;
      reader = startReader(bot);
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
    sender: telegramSender({ database, api, pace, origin, isReady }),
    async stop() {
      await rounds.stop();
      await yieldWork();
      await lease.release();
    },
  };
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
