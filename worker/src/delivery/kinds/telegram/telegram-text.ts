import { cutText } from "@shared/domain/cut-text.ts";
import { type Brand, DEFAULT_BRAND } from "@shared/runtime/compose-email.ts";
import { type Html, html } from "@shared/runtime/html.ts";
import type { MessageText } from "../../describe-message.ts";

/** A message has at most 4,096 characters: those of the longest points and facts fit. */
const MAX_POINTS = 20;
const MAX_PARAGRAPHS = 8;
const MAX_LINE_LENGTH = 300;

/** Levels are copied by a tap. */
export function telegramText(message: MessageText, origin: string, brand = DEFAULT_BRAND): Html {
  const { subject, text, levels = [], facts = [], points = [], path, button } = message;
  const link = (to: string, words: string) =>
    html`<a href="${new URL(to, origin).href}">${words}</a>`;
  const shown = points.slice(0, points[0]?.path ? MAX_POINTS : MAX_PARAGRAPHS);
  return joinLines([
    html`<b>${cut(subject)}</b>`,
    ...(text ? [html`${text.toWellFormed()}`] : []),
    ...levels.map(([label, value]) => html`${label}: <code>${value}</code>`),
    ...facts.map(([label, value]) => html`${label}: ${cut(value)}`),
    ...shown.map((point) => html`• ${point.path ? link(point.path, point.text) : cut(point.text)}`),
    html`${link(path, button)}${signatureOf(brand)}`,
  ]);
}

/** The bot itself has a name only where its operator has given the product none. */
const signatureOf = ({ isOwnName, name }: Brand): string => (isOwnName ? ` · ${name}` : "");

const cut = (text: string): string => cutText(text, MAX_LINE_LENGTH);

/** Lines of Telegram's HTML, which knows no `<br>`. */
export const joinLines = (lines: readonly Html[]): Html =>
  html`${lines.map((line, index) => (index === 0 ? line : html`\n${line}`))}`;
