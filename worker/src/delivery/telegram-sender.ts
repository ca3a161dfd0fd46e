import type { Database } from "@shared/database/database.ts";
import { type Html, html } from "@shared/runtime/html.ts";
import type { Api } from "grammy";
import type { ChannelSender, SendResult } from "./channel-sender.ts";
import { describeMessage, type MessageText, readNamedSignals } from "./describe-message.ts";
import { sendHtml, type TelegramPace, telegramFailure } from "./telegram-api.ts";

/** The user has blocked the bot, or deleted their account. */
const FORBIDDEN = 403;

interface TelegramSenderDeps {
  database: Pick<Database, "signals" | "marketAnalyses">;
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
    if (message.target.kind !== "telegram") throw new Error("The target is no Telegram chat.");
    const { chatId } = message.target;
    const signals = await readNamedSignals(deps.database, message);
    const text = telegramText(describeMessage(message, signals), deps.origin);
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
    ...{ responseStatus, error, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  };
}

/** A message has at most 4,096 characters: those of the longest points and facts fit. */
const MAX_POINTS = 20;
const MAX_PARAGRAPHS = 8;
const MAX_LINE_LENGTH = 300;

/** Levels are copied by a tap. */
export function telegramText(message: MessageText, origin: string): Html {
  const { subject, text, levels = [], facts = [], points = [], path, button } = message;
  const link = (to: string, words: string) =>
    html`<a href="${new URL(to, origin).href}">${words}</a>`;
  const shown = points.slice(0, points[0]?.path ? MAX_POINTS : MAX_PARAGRAPHS);
  return joinLines([
    html`<b>${cut(subject)}</b>`,
    ...(text ? [html`${text}`] : []),
    ...levels.map(([label, value]) => html`${label}: <code>${value}</code>`),
    ...facts.map(([label, value]) => html`${label}: ${cut(value)}`),
    ...shown.map((point) => html`• ${point.path ? link(point.path, point.text) : cut(point.text)}`),
    link(path, button),
  ]);
}

const cut = (text: string): string =>
  text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text;

/** Lines of Telegram's HTML, which knows no `<br>`. */
export const joinLines = (lines: readonly Html[]): Html =>
  html`${lines.map((line, index) => (index === 0 ? line : html`\n${line}`))}`;
