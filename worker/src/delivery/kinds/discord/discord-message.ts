import { cutText } from "@shared/domain/cut-text.ts";
import { z } from "zod";
import type { SendResult } from "../../channel-sender.ts";
import type { MessageText } from "../../describe-message.ts";
import type { PublicResponse } from "../../post-publicly.ts";

/** Of Discord. */
export const MAX_CONTENT_LENGTH = 2_000;

/** Of one line, before it is escaped, so that no text leaves others without room. */
const MAX_LINE_LENGTH = 240;

const MORE = "…";

/** What Discord is asked to post. */
export interface DiscordMessage {
  content: string;
  /** Notifies no member, whatever the content names. */
  allowed_mentions: { parse: [] };
  flags: number;
}

/** Shows no previews of the links in a message, which its texts may contain. */
const SUPPRESS_EMBEDS = 4;

/**
 * A message in Discord's Markdown. What does not fit is left out from the end, but never the link.
 * @param origin of the web pages
 */
export function discordMessage(message: MessageText, origin: string): DiscordMessage {
  const { subject, text, levels = [], facts = [], points = [], path, button } = message;
  const link = (to: string, words: string) => `[${words}](<${new URL(to, origin).href}>)`;
  const last = link(path, button);
  const lines = [
    `**${plain(subject)}**`,
    ...(text ? [plain(text)] : []),
    ...levels.map(([label, value]) => `${plain(label)}: \`${value.replaceAll("`", "")}\``),
    ...facts.map(([label, value]) => `${plain(label)}: ${plain(value)}`),
    ...points.map((point) => {
      const words = plain(point.text);
      return `• ${point.path ? link(point.path, words) : words}`;
    }),
  ];
  const shown: string[] = [];
  let room = MAX_CONTENT_LENGTH - last.length - MORE.length - 2;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) {
      shown.push(MORE);
      break;
    }
    shown.push(line);
  }
  return {
    content: [...shown, last].join("\n"),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  };
}

/**
 * One line that Discord shows as it is: no Markdown, no links with other words, no headings, and no names of people, roles or
 * everyone. Texts of users and of models reach other people's screens.
 */
const plain = (text: string): string =>
  cutText(text.toWellFormed().replaceAll(/\s+/g, " ").trim(), MAX_LINE_LENGTH)
    .replaceAll(/[\\`*_~|<>[\]()]/g, "\\$&")
    .replaceAll("@", "@\u200b");

/** The address of a webhook that answers once Discord has kept the message. Otherwise it reports success before. */
export function waitingUrl(address: string): string {
  const url = new URL(address);
  url.searchParams.set("wait", "true");
  return url.href;
}

/** Of an error of Discord. A proxy before it may answer otherwise. */
const errorSchema = z.object({
  code: z.number().int().optional().catch(undefined),
  /** Seconds, with decimals. */
  retry_after: z.number().nonnegative().optional().catch(undefined),
});

const NOT_FOUND = 404;
const UNKNOWN_WEBHOOK = 10_015;
const INVALID_TOKEN = 50_027;
const FORUM_NEEDS_THREAD = 220_001;

/** What an answer of Discord means. */
export function resultOfDiscord({ status, headers, body }: PublicResponse): SendResult {
  if (status >= 200 && status < 300) {
    return { outcome: "delivered", responseStatus: status, error: null };
  }
  const { code, retry_after: seconds = headerSeconds(headers["retry-after"]) } =
    errorSchema.safeParse(jsonOf(body)).data ?? {};
  const isGone = status === NOT_FOUND || code === INVALID_TOKEN;
  return {
    outcome: isGone ? "gone" : "retry",
    responseStatus: status,
    error: reasonOf(status, code),
    ...(seconds !== undefined && { retryAfterMs: Math.ceil(seconds * 1_000) }),
  };
}

function reasonOf(status: number, code: number | undefined): string {
  switch (code) {
    case UNKNOWN_WEBHOOK:
      return "The webhook was deleted in Discord.";
    case INVALID_TOKEN:
      return "The webhook has another token in Discord now.";
    case FORUM_NEEDS_THREAD:
      return "The webhook belongs to a forum: add ?thread_id= and the id of a thread to its URL.";
    case undefined:
      return `Discord answered with ${status}.`;
    default:
      return `Discord answered with ${status} (code ${code}).`;
  }
}

const headerSeconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
