import {
  type ChannelSummary,
  channelEventSchema,
  summarySchema,
} from "@shared/contract/channels.ts";
import { type AccountReason, type EventData, eventSchemas } from "@shared/contract/events.ts";
import { planById } from "@shared/contract/plans.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import {
  type Analysis,
  rationaleContent,
  type SignalResponse,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { formatNumber, formatPrice, formatUsd } from "@shared/domain/format-price.ts";
import { formatTime } from "@shared/runtime/compose-email.ts";
import { z } from "zod";
import type { ChannelMessage } from "./channel-sender.ts";

type Fact = readonly [label: string, value: string];

/** What emails and Telegram say. Each formats it in its own way. */
export interface MessageText {
  subject: string;
  text?: string;
  /** Prices that a trader copies. */
  levels?: readonly Fact[];
  facts?: readonly Fact[];
  points?: readonly { text: string; path?: string }[];
  /** Of the page about it. */
  path: string;
  button: string;
}

/** A signal that a message names by its id. */
interface NamedSignal extends Pick<SignalResponse, "symbol" | "timeframe"> {
  analysis?: Analysis | null;
  resolution?: Resolution | null;
}

/** By id. Deleted signals are missing. */
export type NamedSignals = ReadonlyMap<string, NamedSignal>;

type Described = Pick<ChannelMessage, "type" | "data">;

export async function readNamedSignals(
  { signals, marketAnalyses }: Pick<Database, "signals" | "marketAnalyses">,
  message: Described,
): Promise<NamedSignals> {
  const ids = namedSignalIds(message);
  if (ids.length === 0) return new Map();
  const found = await signals
    .find({ _id: { $in: ids } })
    .select({ symbol: 1, timeframe: 1, analysis: 1, analysisId: 1 })
    .lean();
  const resolved = await marketAnalyses
    .find({ _id: { $in: found.map(({ analysisId }) => analysisId) }, outcome: { $exists: true } })
    .select({ resolution: 1 })
    .lean();
  return new Map(
    found.map(({ _id, analysisId, ...signal }) => {
      const resolution = resolved.find((market) => market._id.equals(analysisId))?.resolution;
      return [_id.toString(), { ...signal, resolution }];
    }),
  );
}

const signalRefSchema = z.object({ signal_id: z.string().regex(/^[0-9a-f]{24}$/) });

/** `signal.completed` contains its signal, other events only its id. */
function namedSignalIds({ type, data }: Described): string[] {
  if (type === "signal.completed") return [];
  if (type === "channel.summary") return summarySchema.parse(data).messages.flatMap(namedSignalIds);
  return [signalRefSchema.safeParse(data).data?.signal_id ?? []].flat();
}

export function describeMessage({ type, data }: Described, signals: NamedSignals): MessageText {
  switch (type) {
    case "signal.completed":
      return describeSignal(signalResponseSchema.parse(data));
    case "signal.filled":
      return describeFill(eventSchemas["signal:filled"].parse(data), signals);
    case "signal.entry_left":
      return describeMissedEntry(eventSchemas["signal:entry-left"].parse(data), signals);
    case "signal.outcome":
      return describeOutcome(eventSchemas["signal:outcome"].parse(data), signals);
    case "account.updated":
      return describeAccount(eventSchemas["account:updated"].parse(data));
    case "subscription.expiring":
      return describeExpiry(eventSchemas["subscription:expiring"].parse(data));
    case "proof.submitted":
      return describeProof(eventSchemas["proof:submitted"].parse(data));
    case "user.registered":
      return describeUser(eventSchemas["user:registered"].parse(data));
    case "budget.reached":
      return describeBudget(eventSchemas["budget:reached"].parse(data));
    case "channel.test":
      return TEST_MESSAGE;
    case "channel.summary":
      return describeSummary(summarySchema.parse(data), signals);
  }
}

const timeText = (time: string): string => formatTime(new Date(time));
const percentText = (value: number): string => `${formatNumber(value, 1)}%`;
const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const signalPage = (id: string) => ({ path: `/signals/${id}`, button: "Open the signal" });
const DASHBOARD = { path: "/dashboard", button: "Open your dashboard" };
const ADMIN_USERS = { path: "/admin/users", button: "Open the users" };

const TEST_MESSAGE: MessageText = {
  subject: "Test message",
  text: "Your channel is working.",
  path: "/user-panel",
  button: "Open your account",
};

function describeSignal({
  signal_id: id,
  symbol,
  timeframe,
  analysis,
}: SignalResponse): MessageText {
  if (!analysis) return { subject: `${symbol} ${timeframe}: signal ready`, ...signalPage(id) };
  const { final_signal: kind, confidence, raw_ai, warnings } = analysis;
  const reasons = [rationaleContent(raw_ai.rationale), raw_ai.key_evidence].flat();
  const advice = `${kind} ${symbol} ${timeframe}`;
  // A WAIT without an opinion, such as one for a closed market, has no confidence to state.
  const statesNone = kind === "WAIT" && confidence === 0;
  return {
    subject: statesNone ? advice : `${advice}, ${percentText(confidence)} confidence`,
    levels: levelsOf(analysis),
    facts: termsOf(analysis),
    points: [...warnings.map((warning) => `Warning: ${warning}`), ...reasons]
      .filter((text) => text !== "")
      .map((text) => ({ text })),
    ...signalPage(id),
  };
}

/** A WAIT may have no levels. */
const levelsOf = ({ entry, stop_loss, take_profit }: Analysis): Fact[] =>
  (
    [
      ["Entry", entry],
      ["Stop loss", stop_loss],
      ["Take profit", take_profit],
    ] as const
  ).flatMap(([name, price]) => (price === null ? [] : [[name, formatPrice(price)]]));

function termsOf(analysis: Analysis): Fact[] {
  const { calibrated_confidence: calibrated, valid_until, suggested_hold } = analysis;
  const size: Fact[] = [
    ["Position size", `${formatNumber(analysis.suggested_units, 6)} units`],
    ["Risk", formatUsd(analysis.estimated_dollar_risk)],
    ["Margin", formatUsd(analysis.required_margin)],
  ];
  return [
    ...fact("Calibrated confidence", calibrated, percentText),
    ...fact("Enter before", valid_until, timeText),
    ...(analysis.suggested_units > 0 ? size : []),
    ["Hold", suggested_hold],
  ];
}

const fact = <Value>(
  label: string,
  value: Value | null | undefined,
  format: (value: Value) => string,
): Fact[] => (value === null || value === undefined ? [] : [[label, format(value)]]);

function describeFill(
  { signal_id: id, price, filled_at }: EventData<"signal:filled">,
  signals: NamedSignals,
): MessageText {
  return describeTrade(id, signals, {
    subject: "Entry filled",
    levels: [["Filled at", formatPrice(price)]],
    facts: [["Time", timeText(filled_at)]],
  });
}

function describeMissedEntry(
  { signal_id: id, price, at }: EventData<"signal:entry-left">,
  signals: NamedSignals,
): MessageText {
  return describeTrade(id, signals, {
    subject: "Entry missed",
    text: "The price has left the entry zone. Do not enter this trade late.",
    levels: [["Price", formatPrice(price)]],
    facts: [["Time", timeText(at)]],
  });
}

const OUTCOMES = {
  WIN: "The trade reached its take profit.",
  LOSS: "The trade reached its stop loss.",
  EXPIRED: "The trade was closed at its hold limit.",
} as const;

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ["not-filled", "The entry was not filled in time."],
  ["no-data", "The market has no prices any more. The last known close counts."],
]);

function describeOutcome(
  { signal_id: id, outcome, resolved_at }: EventData<"signal:outcome">,
  signals: NamedSignals,
): MessageText {
  const { exit, r_multiple, reason } = signals.get(id)?.resolution ?? {};
  return describeTrade(id, signals, {
    subject: outcome,
    text: REASONS.get(reason) ?? OUTCOMES[outcome],
    facts: [
      ...fact("Result", r_multiple, (r) => `${r > 0 ? "+" : ""}${r.toFixed(2)} R`),
      ...fact("Exit", exit, formatPrice),
      ["Resolved", timeText(resolved_at)],
    ],
  });
}

/** What happened to a signal after it was made. */
function describeTrade(
  id: string,
  signals: NamedSignals,
  { subject, levels = [], ...event }: Omit<MessageText, "path" | "button">,
): MessageText {
  const signal = signals.get(id);
  const analysis = signal?.analysis;
  const market = signal
    ? [analysis?.final_signal ?? [], signal.symbol, signal.timeframe].flat().join(" ")
    : "deleted signal";
  return {
    subject: `${subject}: ${market}`,
    levels: [...levels, ...(analysis ? levelsOf(analysis) : [])],
    ...event,
    ...signalPage(id),
  };
}

type Account = EventData<"account:updated">;

const creditsLeft = ({ image_credits: credits }: Account): string =>
  `You have ${plural(credits, "image credit")}.`;

const ACCOUNT_TEXTS: Record<AccountReason, (account: Account) => [subject: string, text: string]> =
  {
    approved: () => ["Your account is approved", "You can now use the signal bot."],
    revoked: () => ["Your approval was revoked", "You can no longer use the signal bot."],
    "credits-granted": (account) => ["Your image credits were changed", creditsLeft(account)],
    "credit-spent": (account) => ["An image credit was spent", creditsLeft(account)],
    "credit-refunded": (account) => ["An image credit was refunded", creditsLeft(account)],
    "image-access": ({ allow_image_upload: isAllowed }) =>
      isAllowed
        ? ["Chart images are allowed", "You can attach chart images to your requests."]
        : ["Chart images are blocked", "You can no longer attach chart images."],
    "role-changed": ({ role }) => ["Your role was changed", `Your role is now ${role}.`],
    "email-verified": () => ["Your email address is verified", "You can now get signals by email."],
    "proof-submitted": () => [
      "Your proof of payment was submitted",
      "An administrator will review it.",
    ],
    "subscription-started": () => [
      "Your subscription has started",
      "You can now use the signal bot.",
    ],
    "subscription-renewed": () => [
      "Your subscription was renewed",
      "Your dashboard shows when it ends.",
    ],
    "subscription-grace": () => [
      "Your subscription has ended",
      "You keep your access for a few days. Renew it to stay subscribed.",
    ],
    "subscription-ended": () => [
      "Your subscription has ended",
      "Renew it to use the signal bot again. Your history is kept.",
    ],
  };

function describeAccount(account: Account): MessageText {
  const [subject, text] = ACCOUNT_TEXTS[account.reason](account);
  return { subject, text, ...DASHBOARD };
}

const describeExpiry = ({
  plan,
  ends_at,
  days_left,
}: EventData<"subscription:expiring">): MessageText => ({
  subject: `Your subscription ends in ${plural(days_left, "day")}`,
  text: `Your ${planById(plan).name} plan ends on ${timeText(ends_at)}.`,
  path: `/payment?plan=${plan}`,
  button: "Renew your subscription",
});

function describeProof(proof: EventData<"proof:submitted">): MessageText {
  const { username, sender_name, submitted_at, plan, duplicate_of, renewal } = proof;
  return {
    subject: `New proof of payment from ${username}`,
    text: `Review it to ${renewal ? "renew their subscription" : "approve their account"}.`,
    facts: [
      ["Sender", sender_name],
      ["Submitted", timeText(submitted_at)],
      ...fact("Plan", plan, (id) => planById(id).name),
      ...fact("Duplicate of", duplicate_of, String),
    ],
    ...ADMIN_USERS,
    button: "Review the proof",
  };
}

const describeUser = ({
  username,
  email,
  created_at,
}: EventData<"user:registered">): MessageText => ({
  subject: `New user: ${username}`,
  facts: [
    ["Email", email],
    ["Registered", timeText(created_at)],
  ],
  ...ADMIN_USERS,
});

const describeBudget = ({
  percent,
  spent_usd,
  budget_usd,
}: EventData<"budget:reached">): MessageText => ({
  subject: `${percent}% of today's AI budget is used`,
  text: "The budget resets at midnight UTC.",
  facts: [
    ["Spent", formatUsd(spent_usd)],
    ["Budget", formatUsd(budget_usd)],
  ],
  path: "/admin/system",
  button: "Open the system page",
});

const EVENT_WORDS: Record<keyof ChannelSummary["counts"], string> = {
  "signal.completed": "New signals",
  "signal.filled": "Entries filled",
  "signal.entry_left": "Entries missed",
  "signal.outcome": "Results",
  "account.updated": "Account changes",
  "subscription.expiring": "Subscription reminders",
  "proof.submitted": "Payment proofs",
  "user.registered": "Registrations",
  "budget.reached": "AI budget alerts",
};

export const wordsOfEvent = (type: keyof typeof EVENT_WORDS): string => EVENT_WORDS[type];

function describeSummary(
  { from, to, counts, messages }: ChannelSummary,
  signals: NamedSignals,
): MessageText {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = total - messages.length;
  const rest = left > 0 ? ` ${left} older or expired messages are not listed.` : "";
  return {
    subject: `${plural(total, "message")} from your quiet hours`,
    text: `Here is what happened from ${timeText(from)} to ${timeText(to)}.${rest}`,
    facts: channelEventSchema.options.flatMap((type) =>
      fact(EVENT_WORDS[type], counts[type], String),
    ),
    points: messages.map((message) => {
      const { subject: text, path } = describeMessage(message, signals);
      return { text, path };
    }),
    ...DASHBOARD,
  };
}
