import { cutText } from "@shared/domain/cut-text.ts";
import type { MessageText } from "../../../describe-message.ts";
import { JSON_HEADERS } from "../../../post-publicly.ts";
import type { WebhookFormat } from "./webhook-format.ts";

/** Slack answers 404 for a webhook that was removed, and 410 for one whose channel is archived. */
const GONE_STATUSES = [404, 410];

/** Of the text of a section. */
const MAX_SECTION_LENGTH = 3_000;
const MAX_LINE_LENGTH = 240;

/** An incoming webhook of Slack: a text for its notifications, and blocks. */
export const slack: WebhookFormat = {
  goneStatuses: GONE_STATUSES,
  async compose({ describe, origin }) {
    return { headers: JSON_HEADERS, body: JSON.stringify(slackMessage(await describe(), origin)) };
  },
};

export function slackMessage(message: MessageText, origin: string) {
  const { subject, text, levels = [], facts = [], points = [], path, button } = message;
  const link = (to: string, words: string) => `<${new URL(to, origin).href}|${words}>`;
  const lines = [
    `*${plain(subject)}*`,
    ...(text ? [plain(text)] : []),
    ...levels.map(([label, value]) => `${plain(label)}: \`${plain(value).replaceAll("`", "")}\``),
    ...facts.map(([label, value]) => `${plain(label)}: ${plain(value)}`),
    ...points.map((point) => {
      const words = plain(point.text);
      return `• ${point.path ? link(point.path, words.replaceAll("|", "/")) : words}`;
    }),
  ];
  return {
    text: plain(subject),
    blocks: [section(fitting(lines)), section(link(path, button))],
    unfurl_links: false,
  };
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

function fitting(lines: readonly string[]): string {
  let length = 0;
  const shown = lines.filter((line) => {
    length += line.length + 1;
    return length <= MAX_SECTION_LENGTH;
  });
  return shown.join("\n");
}

/** One line without names of people, links and formatting: the three characters that Slack asks to escape. */
const plain = (text: string): string =>
  cutText(text.toWellFormed().replaceAll(/\s+/g, " ").trim(), MAX_LINE_LENGTH)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[*_~`]/g, "$&\u200b");
