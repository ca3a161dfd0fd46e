import { type ChannelSummary, type MessageType, summarySchema } from "@shared/contract/channels.ts";
import { type EventData, eventSchemas } from "@shared/contract/events.ts";
import { planById } from "@shared/contract/plans.ts";
import type { Analysis, Outcome, SignalKind, SignalResponse } from "@shared/contract/signal.ts";
import { formatNumber, formatPrice, formatUsd } from "@shared/domain/format-price.ts";
import { type Html, html } from "@shared/runtime/html.ts";
import { z } from "zod";
import { accountText, namedLevels, plural } from "./event-texts.ts";

/** Signals by their ids. Those that were deleted are missing. */
export type NamedSignals = ReadonlyMap<
  string,
  Pick<SignalResponse, "symbol" | "timeframe"> & { kind?: SignalKind | undefined }
>;

interface TextContext {
  signals: NamedSignals;
  /** Of the web pages. */
  origin: string;
}

interface EventText {
  title: string;
  lines: readonly Html[];
  /** Path and words of the link. */
  link: readonly [path: string, words: string];
}

export interface TelegramMessage {
  type: MessageType;
  /** As in the message of a webhook. */
  data: unknown;
}

/** What a message says in Telegram. Levels are copied by a tap. */
export function telegramText({ type, data }: TelegramMessage, context: TextContext): Html {
  if (type === "channel.summary") return summaryText(summarySchema.parse(data), context);
  const { title, lines, link } = describe(type, data, context);
  return joinLines([html`<b>${title}</b>`, ...lines, linkTo(context, link)]);
}

const linkTo = ({ origin }: TextContext, [path, words]: EventText["link"]): Html =>
  html`<a href="${new URL(path, origin).href}">${words}</a>`;

/** Lines of Telegram's HTML, which knows no `<br>`. */
export const joinLines = (lines: readonly Html[]): Html =>
  html`${lines.map((line, index) => (index === 0 ? line : html`\n${line}`))}`;

const EVENT_WORDS: Record<keyof ChannelSummary["counts"], string> = {
  "signal.completed": "new signals",
  "signal.filled": "entries filled",
  "signal.entry_left": "entries missed",
  "signal.outcome": "results",
  "account.updated": "changes of your account",
  "subscription.expiring": "reminders of your subscription",
  "proof.submitted": "payment proofs",
  "user.registered": "registrations",
  "budget.reached": "warnings of the AI budget",
};

/** `new signals`, `results` and so on. */
export const wordsOfEvent = (type: keyof typeof EVENT_WORDS): string => EVENT_WORDS[type];

function summaryText({ from, to, messages, ...summary }: ChannelSummary, context: TextContext) {
  const counts = z.record(z.string(), z.number()).parse(summary.counts);
  const counted = Object.entries(EVENT_WORDS)
    .filter(([type]) => counts[type])
    .map(([type, words]) => `${words}: ${counts[type]}`);
  const entries = messages.map(({ type, data }) => {
    const { title, link } = describe(type, data, context);
    return html`• ${linkTo(context, [link[0], title])}`;
  });
  return joinLines([
    html`<b>During your quiet hours</b>`,
    html`${utc(from)} to ${utc(to)}`,
    ...counted.map((line) => html`${line}`),
    ...entries,
  ]);
}

function describe(type: MessageType, data: unknown, { signals }: TextContext): EventText {
  switch (type) {
    case "signal.completed":
      return describeSignal(eventSchemas["signal:completed"].parse(data));
    case "signal.filled": {
      const { signal_id: id, price } = eventSchemas["signal:filled"].parse(data);
      return describeTrade(id, signals, { what: "Entry filled", line: html`At ${code(price)}` });
    }
    case "signal.entry_left": {
      const { signal_id: id, price } = eventSchemas["signal:entry-left"].parse(data);
      const line = html`The price left the entry zone at ${code(price)}. Do not enter late.`;
      return describeTrade(id, signals, { what: "Entry missed", line });
    }
    case "signal.outcome": {
      const { signal_id: id, outcome } = eventSchemas["signal:outcome"].parse(data);
      return describeTrade(id, signals, { what: outcome, line: html`${OUTCOME_TEXTS[outcome]}` });
    }
    case "account.updated":
      return describeAccount(eventSchemas["account:updated"].parse(data));
    case "subscription.expiring":
      return describeExpiry(eventSchemas["subscription:expiring"].parse(data));
    case "channel.test":
    case "channel.summary":
      return {
        title: "This is a test message",
        lines: [html`Messages of your account arrive here.`],
        link: ["/user-panel", "Your notifications"],
      };
    default:
      return describeAdmin(type, data);
  }
}

const code = (price: number): Html => html`<code>${formatPrice(price)}</code>`;

const percent = (value: number): string => `${formatNumber(value, 1)}%`;

function describeSignal({ signal_id: id, symbol, timeframe, analysis }: SignalResponse): EventText {
  const link = [`/signals/${id}`, "Open the signal"] as const;
  if (!analysis) return { title: `Signal ready: ${symbol}, ${timeframe}`, lines: [], link };
  const { valid_until: validUntil, warnings } = analysis;
  return {
    title: `${analysis.final_signal} ${symbol}, ${timeframe}`,
    lines: [
      html`${confidenceWords(analysis)}`,
      ...levelsOf(analysis),
      ...(validUntil ? [html`Valid until: ${utc(validUntil)}`] : []),
      ...warnings.slice(0, MAX_WARNINGS).map((text) => html`<i>${cut(text)}</i>`),
    ],
    link,
  };
}

/** A message has at most 4,096 characters. */
const MAX_WARNINGS = 5;
const MAX_LINE_LENGTH = 300;
const cut = (text: string): string =>
  text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text;

/** A WAIT has no outcome, so it is never calibrated. */
function confidenceWords(analysis: Analysis): string {
  const { final_signal: kind, confidence, calibrated_confidence: calibrated } = analysis;
  const stated = `${percent(confidence)} stated confidence`;
  if (typeof calibrated === "number") return `${stated}, ${percent(calibrated)} calibrated`;
  return kind === "WAIT" ? stated : `${stated}, not yet calibrated`;
}

const levelsOf = (analysis: Analysis): Html[] =>
  namedLevels(analysis).map(([name, price]) => html`${name}: ${code(price)}`);

const OUTCOME_TEXTS: Record<Outcome, string> = {
  WIN: "The trade reached its take profit.",
  LOSS: "The trade reached its stop loss.",
  EXPIRED: "The trade ended without reaching a level.",
};

/** Something that happened to the trade of a signal. */
function describeTrade(
  id: string,
  signals: NamedSignals,
  { what, line }: { what: string; line: Html },
): EventText {
  const signal = signals.get(id);
  const market = signal
    ? `${[signal.kind ?? [], signal.symbol].flat().join(" ")}, ${signal.timeframe}`
    : "a deleted signal";
  return {
    ...{ title: `${what}: ${market}`, lines: [line] },
    link: [`/signals/${id}`, "Open the signal"],
  };
}

function describeAccount(account: EventData<"account:updated">): EventText {
  const [title, text] = accountText(account);
  return { title, lines: [html`${text}`], link: ["/dashboard", "Open your dashboard"] };
}

const describeExpiry = ({
  plan,
  ends_at,
  days_left,
}: EventData<"subscription:expiring">): EventText => ({
  title: `Subscription ends in ${plural(days_left, "day")}`,
  lines: [html`Your ${planById(plan).name} plan ends on ${utc(ends_at)}.`],
  link: [`/payment?plan=${plan}`, "Renew it"],
});

function describeAdmin(
  type: "proof.submitted" | "user.registered" | "budget.reached",
  data: unknown,
): EventText {
  const link = ["/admin", "Open administration"] as const;
  switch (type) {
    case "proof.submitted": {
      const { username, sender_name } = eventSchemas["proof:submitted"].parse(data);
      const lines = [html`${username}, sent by ${cut(sender_name)}`];
      return { title: "New payment proof", lines, link };
    }
    case "user.registered": {
      const { username } = eventSchemas["user:registered"].parse(data);
      return { title: "New registration", lines: [html`${username}`], link };
    }
    case "budget.reached": {
      const { percent, spent_usd, budget_usd } = eventSchemas["budget:reached"].parse(data);
      const line = html`${formatUsd(spent_usd)} of ${formatUsd(budget_usd)} today (UTC)`;
      return { title: `${percent}% of the AI budget is spent`, lines: [line], link };
    }
  }
}

const dateFormat = new Intl.DateTimeFormat("en-GB", {
  ...{ dateStyle: "medium", timeStyle: "short", timeZone: "UTC" },
});

/** A time in UTC, since Telegram does not tell where its reader is. */
export const utc = (time: string | Date): string => `${dateFormat.format(new Date(time))} UTC`;

const refSchema = z.object({ signal_id: z.string().regex(/^[0-9a-f]{24}$/) });

/** Ids of the signals that a message names by their id only. */
export function signalIdsOf({ type, data }: TelegramMessage): string[] {
  if (type === "signal.completed") return [];
  if (type === "channel.summary") return summarySchema.parse(data).messages.flatMap(signalIdsOf);
  return [refSchema.safeParse(data).data?.signal_id ?? []].flat();
}
