import { cutText } from "@shared/domain/cut-text.ts";
import type { MessageText } from "../../describe-message.ts";

/** Of Discord. */
export const MAX_CONTENT_LENGTH = 2_000;

/** Of one line, before it is escaped, so that no text leaves others without room. */
const MAX_LINE_LENGTH = 240;

const MORE = "…";

/** What Discord is asked to post. */
export interface DiscordMessage {
  content: string;
  /** Notifies nobody, whatever the content names. */
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
