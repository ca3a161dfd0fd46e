import type { Html } from "@shared/runtime/html.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { Mutex } from "async-mutex";
import { Api, GrammyError, HttpError } from "grammy";

/** Telegram answers after this time if no one has written to the bot. */
const POLL_SECONDS = 25;
const REQUEST_TIMEOUT_SECONDS = POLL_SECONDS + 15;

export const telegramApi = (token: string, apiRoot: string): Api =>
  new Api(token, { apiRoot, timeoutSeconds: REQUEST_TIMEOUT_SECONDS });

/**
 * @returns the id of the message
 * @throws GrammyError, HttpError
 */
export async function sendHtml(
  api: Api,
  { chatId, text, replyTo }: { chatId: string; text: Html; replyTo?: number },
  abort: AbortSignal,
): Promise<number> {
  const reply = replyTo !== undefined && {
    reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
  };
  const options = { ...AS_HTML, ...reply };
  const { message_id } = await api.sendMessage(chatId, text.text, options, forGrammy(abort));
  return message_id;
}

const AS_HTML = { parse_mode: "HTML", link_preview_options: { is_disabled: true } } as const;

/** @throws GrammyError, HttpError */
export async function editHtml(
  api: Api,
  { chatId, messageId, text }: { chatId: string; messageId: number; text: Html },
  abort: AbortSignal,
): Promise<void> {
  await api.editMessageText(chatId, messageId, text.text, AS_HTML, forGrammy(abort));
}

/**
 * Waits for what users write to the bot, from number `offset` on. Telegram forgets what is before.
 * @throws GrammyError, HttpError
 */
export const readUpdates = (api: Api, offset: number, abort: AbortSignal): Promise<unknown> =>
  api.getUpdates(
    { offset, timeout: POLL_SECONDS, allowed_updates: ALLOWED_UPDATES },
    forGrammy(abort),
  );

/** Telegram leaves out changes of members unless they are asked for. */
const ALLOWED_UPDATES = ["message", "chat_join_request", "chat_member"] as const;

type GrammySignal = NonNullable<Parameters<Api["getMe"]>[0]>;

/** grammY's types name the signal of a polyfill. It accepts that of Node.js. */
function forGrammy(signal: AbortSignal): GrammySignal {
  if (isGrammySignal(signal)) return signal;
  throw new TypeError("This is no signal.");
}

const isGrammySignal = (signal: unknown): signal is GrammySignal => signal instanceof AbortSignal;

interface TelegramFailure {
  /** Null if there was no response. */
  status: number | null;
  retryAfterMs?: number;
  /** Without the cause, whose address contains the token of the bot. */
  error: string;
}

/** What went wrong with a call; null for an error that is not of a call. */
export function telegramFailure(error: unknown): TelegramFailure | null {
  if (error instanceof GrammyError) {
    const { error_code: status, parameters } = error;
    const { retry_after: seconds } = parameters;
    return {
      status,
      error: `Telegram answered with ${status}.`,
      ...(seconds !== undefined && { retryAfterMs: seconds * 1_000 }),
    };
  }
  if (error instanceof HttpError) return { status: null, error: "Telegram could not be reached." };
  return null;
}

/**
 * Runs work that Telegram may limit.
 * @returns for how long Telegram wants no call; null if the work is done
 */
export async function untilLimited(work: () => Promise<void>): Promise<number | null> {
  try {
    await work();
    return null;
  } catch (error) {
    const waitMs = telegramFailure(error)?.retryAfterMs;
    if (waitMs === undefined) throw error;
    return waitMs;
  }
}

/** Telegram permits 30 messages a second. The window is a little longer, since messages take different times to arrive. */
const MAX_IN_WINDOW = 30;
const WINDOW_MS = 1_010;

/** So that they are spread over the second. */
const MIN_INTERVAL_MS = 25;

export const CHAT_INTERVAL_MS = 1_000;

/** In groups and channels, whose ids are negative, Telegram permits 20 messages a minute. */
const MAX_IN_MINUTE = 20;
const MINUTE_WINDOW_MS = 60_500;

/** What does not wait for messages to users, of which there may be thousands: posts, and who may be in the paid channel. */
export const URGENT = 1;

/** Keeps the limits of Telegram, for the one worker that sends: 30 messages a second, and one a second to each chat. */
export class TelegramPace {
  readonly #everyone = new Mutex();
  /** Times of the last messages, oldest first. */
  #turns: number[] = [];
  /** Ends of the last messages by chat, oldest first. */
  readonly #sentAt = new Map<string, number>();
  /** Times of the last messages to each channel, oldest first. */
  readonly #ofMinute = new Map<string, number[]>();

  /**
   * Runs `send` when it is the chat's turn, after those that came before.
   * @param priority that of channels is `URGENT`
   * @throws the reason of `abort` if it fires before
   */
  run<Result>(
    chatId: string,
    abort: AbortSignal,
    send: () => Promise<Result>,
    priority = chatId.startsWith("-") ? URGENT : 0,
  ): Promise<Result> {
    return withKeys(this, [chatId], async () => {
      await waitUntil(
        (this.#sentAt.get(chatId) ?? Number.NEGATIVE_INFINITY) + CHAT_INTERVAL_MS,
        abort,
      );
      if (chatId.startsWith("-")) await this.#takePlaceInMinute(chatId, abort);
      await this.#everyone.runExclusive(() => this.#takeTurn(abort), priority);
      return send().finally(() => this.#noteSent(chatId));
    });
  }

  async #takePlaceInMinute(chatId: string, abort: AbortSignal): Promise<void> {
    const times = this.#ofMinute.get(chatId) ?? [];
    const first = times.at(-MAX_IN_MINUTE) ?? Number.NEGATIVE_INFINITY;
    await waitUntil(first + MINUTE_WINDOW_MS, abort);
    this.#ofMinute.set(chatId, [...times.slice(1 - MAX_IN_MINUTE), performance.now()]);
  }

  async #takeTurn(abort: AbortSignal): Promise<void> {
    const last = this.#turns.at(-1) ?? Number.NEGATIVE_INFINITY;
    const first = this.#turns.at(-MAX_IN_WINDOW) ?? Number.NEGATIVE_INFINITY;
    await waitUntil(Math.max(last + MIN_INTERVAL_MS, first + WINDOW_MS), abort);
    this.#turns = [...this.#turns.slice(1 - MAX_IN_WINDOW), performance.now()];
  }

  #noteSent(chatId: string): void {
    const now = performance.now();
    this.#sentAt.delete(chatId);
    this.#sentAt.set(chatId, now);
    for (const [chat, sentAt] of this.#sentAt) {
      if (sentAt > now - CHAT_INTERVAL_MS) break;
      this.#sentAt.delete(chat);
    }
  }
}

async function waitUntil(time: number, abort: AbortSignal): Promise<void> {
  abort.throwIfAborted();
  for (let waitMs = time - performance.now(); waitMs > 0; waitMs = time - performance.now()) {
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(abort.reason);
      };
      const timer = setTimeout(() => {
        abort.removeEventListener("abort", onAbort);
        resolve();
      }, Math.ceil(waitMs));
      abort.addEventListener("abort", onAbort, { once: true });
    });
  }
}
