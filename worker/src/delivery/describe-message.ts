import {
  type ChannelEvent,
  type ChannelSummary,
  channelEventSchema,
  factsOfEvent,
  summarySchema,
} from "@shared/contract/channels.ts";
import { DASHBOARD, plural } from "@shared/contract/events/account-events.ts";
import { type EventData, eventSchemas } from "@shared/contract/events/event-data.ts";
import type { Wording } from "@shared/contract/events/event-entry.ts";
import { describeEvent } from "@shared/contract/events/event-table.ts";
import { EXPIRY_TEXTS } from "@shared/contract/events/signal-events.ts";
import { planById } from "@shared/contract/plans.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import {
  type Analysis,
  rationaleContent,
  type SignalResponse,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { formatNumber, formatUsd } from "@shared/domain/format-price.ts";
import { type Brand, DEFAULT_BRAND } from "@shared/runtime/compose-email.ts";
import { z } from "zod";
import type { ChannelMessage } from "./channel-sender.ts";

type Fact = readonly [label: string, value: string];

/** What emails, Telegram and Discord say. Each formats it in its own way. */
export interface MessageText {
  subject: string;
  text?: string | undefined;
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
  { signals, marketAnalyses }: Database,
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

const anyRefSchema = z.object({ signal_id: z.string().optional() });
const signalRefSchema = z.object({ signal_id: z.string().regex(/^[0-9a-f]{24}$/) });

/** `signal.completed` contains its signal, other events only its id. */
function namedSignalIds({ type, data }: Described): string[] {
  if (type === "signal.completed") return [];
  if (type === "channel.summary") return summarySchema.parse(data).messages.flatMap(namedSignalIds);
  return [signalRefSchema.safeParse(data).data?.signal_id ?? []].flat();
}

export function describeMessage(
  { type, data }: Described,
  signals: NamedSignals,
  brand: Brand = DEFAULT_BRAND,
): MessageText {
  switch (type) {
    case "channel.test":
      return TEST_MESSAGE;
    case "channel.summary":
      return describeSummary(summarySchema.parse(data), signals, brand);
    default:
      return describeChannelEvent(type, { data, signals, timeText: timeTextOf(brand) });
  }
}

const WORDING: Wording = { price: plainPrice, usd: formatUsd, unknownSignal: "deleted signal" };

/** What an event says wherever it is shown, with what has room in a message. */
function describeChannelEvent(
  type: ChannelEvent,
  {
    data: unchecked,
    signals,
    timeText,
  }: {
    data: unknown;
    signals: NamedSignals;
    timeText: TimeText;
  },
): MessageText {
  const { name } = factsOfEvent(type);
  const { signal_id: id = "" } = anyRefSchema.parse(unchecked);
  // `signal.completed` is of its own data.
  const signal = type === "signal.completed" ? undefined : signals.get(id);
  const details = detailsOf(type, { data: unchecked, signal, timeText });
  const data = { ...z.looseObject({}).parse(unchecked), ...marketOf(signal) };
  const said = describeEvent({ name, data }, WORDING);
  if (!said) throw new RangeError(`${name} says nothing.`);
  const { title, path, button } = said;
  const text = details.text ?? said.text;
  // Words that are no sentence belong to the title.
  const isSentence = text === "" || text.endsWith(".");
  return {
    ...details,
    subject: isSentence ? title : `${title}: ${text}`,
    text: isSentence && text !== "" ? text : undefined,
    path,
    button,
  };
}

const marketOf = (signal: NamedSignal | undefined) =>
  signal && {
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    direction: signal.analysis?.final_signal,
  };

type Details = Pick<MessageText, "text" | "levels" | "facts" | "points">;

function detailsOf(
  type: ChannelEvent,
  {
    data,
    signal,
    timeText,
  }: {
    data: unknown;
    signal: NamedSignal | undefined;
    timeText: TimeText;
  },
): Details {
  const levels = signal?.analysis ? levelsOf(signal.analysis) : [];
  switch (type) {
    case "signal.completed":
      return detailsOfSignal(signalResponseSchema.parse(data), timeText);
    case "signal.filled": {
      const { price, filled_at: at } = eventSchemas["signal:filled"].parse(data);
      const filled: Fact = ["Filled at", formatPrice(price)];
      return { levels: [filled, ...levels], facts: [["Time", timeText(at)]] };
    }
    case "signal.entry_left": {
      const { price, at } = eventSchemas["signal:entry-left"].parse(data);
      const left: Fact = ["Price", formatPrice(price)];
      return { levels: [left, ...levels], facts: [["Time", timeText(at)]] };
    }
    case "signal.outcome":
      return {
        ...detailsOfOutcome(eventSchemas["signal:outcome"].parse(data), signal, timeText),
        levels,
      };
    case "account.updated":
      eventSchemas["account:updated"].parse(data);
      return {};
    case "subscription.expiring":
      return detailsOfExpiry(eventSchemas["subscription:expiring"].parse(data), timeText);
    case "proof.submitted":
      return detailsOfProof(eventSchemas["proof:submitted"].parse(data), timeText);
    case "user.registered": {
      const { email, created_at: at } = eventSchemas["user:registered"].parse(data);
      return {
        facts: [
          ["Email", email],
          ["Registered", timeText(at)],
        ],
      };
    }
    case "budget.reached":
      eventSchemas["budget:reached"].parse(data);
      return { facts: [["Resets", "at midnight UTC"]] };
  }
}

type TimeText = (time: string) => string;

const timeTextOf =
  ({ formatTime }: Brand): TimeText =>
  (time) =>
    formatTime(new Date(time));
const percentText = (value: number): string => `${formatNumber(value, 1)}%`;

const TEST_MESSAGE: MessageText = {
  subject: "Test message",
  text: "Your channel is working.",
  path: "/user-panel",
  button: "Open your account",
};

function detailsOfSignal({ analysis }: SignalResponse, timeText: TimeText): Details {
  if (!analysis) return {};
  const { raw_ai, warnings } = analysis;
  const reasons = [rationaleContent(raw_ai.rationale), raw_ai.key_evidence].flat();
  return {
    levels: levelsOf(analysis),
    facts: termsOf(analysis, timeText),
    points: [...warnings.map((warning) => `Warning: ${warning}`), ...reasons]
      .filter((text) => text !== "")
      .map((text) => ({ text })),
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

function termsOf(analysis: Analysis, timeText: TimeText): Fact[] {
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

function detailsOfOutcome(
  { resolved_at: at }: EventData<"signal:outcome">,
  signal: NamedSignal | undefined,
  timeText: TimeText,
): Details {
  const { exit, r_multiple, reason } = signal?.resolution ?? {};
  return {
    ...(reason === "not-filled" && { text: EXPIRY_TEXTS[reason] }),
    ...(reason === "no-data" && { text: EXPIRY_TEXTS[reason] }),
    facts: [
      ...fact("Result", r_multiple, (r) => `${r > 0 ? "+" : ""}${r.toFixed(2)} R`),
      ...fact("Exit", exit, formatPrice),
      ["Resolved", timeText(at)],
    ],
  };
}

const detailsOfExpiry = (
  { plan, ends_at }: EventData<"subscription:expiring">,
  timeText: TimeText,
): Details => ({
  facts: [
    ["Plan", planById(plan).name],
    ["Ends", timeText(ends_at)],
  ],
});

function detailsOfProof(proof: EventData<"proof:submitted">, timeText: TimeText): Details {
  const { username, sender_name, submitted_at, plan, duplicate_of, renewal } = proof;
  return {
    // Whatever a user writes stands in no subject.
    text: username,
    facts: [
      ["Sender", sender_name],
      ["Asks for", renewal ? "a renewal" : "approval"],
      ["Submitted", timeText(submitted_at)],
      ...fact("Plan", plan, (id) => planById(id).name),
      ...fact("Duplicate of", duplicate_of, String),
    ],
  };
}

export const wordsOfEvent = (type: ChannelEvent): string => factsOfEvent(type).plural;

function describeSummary(
  { from, to, counts, messages }: ChannelSummary,
  signals: NamedSignals,
  brand: Brand,
): MessageText {
  const timeText = timeTextOf(brand);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = total - messages.length;
  const rest = left > 0 ? ` ${left} older or expired messages are not listed.` : "";
  return {
    subject: `${plural(total, "message")} from your quiet hours`,
    text: `Here is what happened from ${timeText(from)} to ${timeText(to)}.${rest}`,
    facts: channelEventSchema.options.flatMap((type) =>
      fact(wordsOfEvent(type), counts[type], String),
    ),
    points: messages.map((message) => {
      const { subject, text, path } = describeMessage(message, signals, brand);
      return { text: text === undefined ? subject : `${subject}. ${text}`, path };
    }),
    ...DASHBOARD,
  };
}
