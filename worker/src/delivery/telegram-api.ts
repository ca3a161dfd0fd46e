import type { Html } from "@shared/runtime/html.ts";
import { Api, GrammyError, HttpError } from "grammy";

/** Telegram answers after this time if nobody has written to the bot. */
const POLL_SECONDS = 25;
const REQUEST_TIMEOUT_SECONDS = POLL_SECONDS + 15;

export const telegramApi = (token: string, apiRoot: string): Api =>
  new Api(token, { apiRoot, timeoutSeconds: REQUEST_TIMEOUT_SECONDS });

/** @throws GrammyError, HttpError */
export async function sendHtml(
  api: Api,
  { chatId, text }: { chatId: string; text: Html },
  abort: AbortSignal,
): Promise<void> {
  const options = { parse_mode: "HTML", link_preview_options: { is_disabled: true } } as const;
  await api.sendMessage(chatId, text.text, options, forGrammy(abort));
}

/**
 * Waits for what users write to the bot, from number `offset` on. Telegram forgets what is before.
 * @throws GrammyError, HttpError
 */
export const readUpdates = (api: Api, offset: number, abort: AbortSignal): Promise<unknown> =>
  api.getUpdates({ offset, timeout: POLL_SECONDS, allowed_updates: ["message"] }, forGrammy(abort));

type GrammySignal = NonNullable<Parameters<Api["getMe"]>[0]>;

/** grammY's types name the signal of a polyfill. It accepts that of Node.js. */
function forGrammy(signal: AbortSignal): GrammySignal {
  if (isGrammySignal(signal)) return signal;
  throw new TypeError("This is no signal.");
}

const isGrammySignal = (signal: unknown): signal is GrammySignal => signal instanceof AbortSignal;

export interface TelegramFailure {
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
      ...{ status, error: `Telegram answered with ${status}.` },
      ...(seconds !== undefined && { retryAfterMs: seconds * 1_000 }),
    };
  }
  if (error instanceof HttpError) return { status: null, error: "Telegram could not be reached." };
  return null;
}
