import type { ChannelEvent } from "@shared/contract/channels.ts";
import { type EventData, eventSchemas } from "@shared/contract/events.ts";
import { planById } from "@shared/contract/plans.ts";
import { rationaleContent } from "@shared/contract/rationale.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import {
  type Analysis,
  type SignalResponse,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import { formatNumber, formatPrice, formatUsd } from "@shared/domain/format-price.ts";
import { formatTime, type Wording } from "@shared/runtime/compose-email.ts";
import { z } from "zod";
import { accountText, namedLevels, plural } from "./event-texts.ts";

/** What an email says about one event. */
export interface EventText
  extends Pick<Wording, "subject" | "request" | "facts" | "points" | "button"> {
  /** Of the page about it. */
  path: string;
}

/** The signal that an event is about; it may have been deleted. */
export interface EventSignal extends Pick<SignalResponse, "symbol" | "timeframe"> {
  analysis?: Analysis | null;
  resolution?: Resolution | null;
}

type FindSignal = (signalId: string) => EventSignal | undefined;

const signalRefSchema = z.object({ signal_id: z.string() });

/** Id of the signal that an event is about. */
export const signalIdOf = (data: unknown): string | null =>
  signalRefSchema.safeParse(data).data?.signal_id ?? null;

/** @param data of the event, as in its push */
export function describeEvent(
  type: ChannelEvent,
  data: unknown,
  findSignal: FindSignal,
): EventText {
  switch (type) {
    case "signal.completed":
      return describeSignal(signalResponseSchema.parse(data));
    case "signal.filled": {
      const { signal_id: id, price, filled_at } = eventSchemas["signal:filled"].parse(data);
      return describeProgress(id, findSignal(id), {
        ...{ what: "Entry filled", request: "the entry of your signal was filled." },
        facts: [["Filled at", `${formatPrice(price)}, ${timeText(filled_at)}`]],
      });
    }
    case "signal.entry_left": {
      const { signal_id: id, price, at } = eventSchemas["signal:entry-left"].parse(data);
      return describeProgress(id, findSignal(id), {
        what: "Entry missed",
        request: "the price has left the entry zone of your signal. Do not enter this trade late.",
        facts: [["Price", `${formatPrice(price)}, ${timeText(at)}`]],
      });
    }
    case "signal.outcome":
      return describeOutcome(eventSchemas["signal:outcome"].parse(data), findSignal);
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
  }
}

const timeText = (time: string): string => formatTime(new Date(time));
const percentText = (value: number): string => `${formatNumber(value, 1)}%`;
const signalPage = (id: string) => ({ path: `/signals/${id}`, button: "Open the signal" });

function describeSignal({ signal_id: id, symbol, timeframe, analysis }: SignalResponse): EventText {
  if (!analysis) {
    const request = "your signal is ready.";
    return { subject: `${symbol} ${timeframe}: signal ready`, request, ...signalPage(id) };
  }
  const { final_signal: kind, confidence, raw_ai, warnings } = analysis;
  const heading = `${kind} ${symbol} ${timeframe}, ${percentText(confidence)} confidence`;
  const reasons = [rationaleContent(raw_ai.rationale), raw_ai.key_evidence].flat();
  return {
    subject: heading,
    request: `your signal is ready: ${heading}.`,
    facts: [...levelsOf(analysis), ...sizeOf(analysis)],
    points: [...reasons, ...warnings.map((warning) => `Warning: ${warning}`)]
      .filter((text) => text !== "")
      .map((text) => ({ text })),
    ...signalPage(id),
  };
}

type Facts = NonNullable<Wording["facts"]>;

const levelsOf = (analysis: Analysis): Facts =>
  namedLevels(analysis).map(([name, price]) => [name, formatPrice(price)] as const);

function sizeOf(analysis: Analysis): Facts {
  const { calibrated_confidence: calibrated, valid_until, suggested_hold } = analysis;
  const isTrade = analysis.suggested_units > 0;
  return [
    ...(typeof calibrated === "number"
      ? [["Calibrated confidence", percentText(calibrated)] as const]
      : []),
    ...(valid_until ? [["Enter before", timeText(valid_until)] as const] : []),
    ...(isTrade
      ? ([
          ["Position size", `${formatNumber(analysis.suggested_units, 6)} units`],
          ["Risk", formatUsd(analysis.estimated_dollar_risk)],
          ["Margin", formatUsd(analysis.required_margin)],
        ] as const)
      : []),
    ["Hold", suggested_hold],
  ];
}

/** Something that happened to a signal after it was made. */
function describeProgress(
  id: string,
  signal: EventSignal | undefined,
  { what, request, facts }: { what: string; request: string; facts: Facts },
): EventText {
  const subject = `${what}: ${signal ? marketOf(signal) : "your signal"}`;
  const levels = signal?.analysis ? levelsOf(signal.analysis) : [];
  return { subject, request, facts: [...facts, ...levels], ...signalPage(id) };
}

const marketOf = ({ symbol, timeframe, analysis }: EventSignal): string =>
  [analysis?.final_signal ?? [], symbol, timeframe].flat().join(" ");

const OUTCOMES = {
  WIN: "your signal reached its take profit.",
  LOSS: "your signal reached its stop loss.",
  EXPIRED: "your signal has expired: its trade was closed at the hold limit.",
} as const;

function describeOutcome(
  { signal_id: id, outcome, resolved_at }: EventData<"signal:outcome">,
  findSignal: FindSignal,
): EventText {
  const signal = findSignal(id);
  const { exit = null, r_multiple: r = null, reason } = signal?.resolution ?? {};
  const request =
    reason === "not-filled" ? "your signal has expired: its entry was not filled." : null;
  return describeProgress(id, signal, {
    what: outcome,
    request: request ?? OUTCOMES[outcome],
    facts: [
      ...(r === null ? [] : [["Result", `${r > 0 ? "+" : ""}${r.toFixed(2)} R`] as const]),
      ...(exit === null ? [] : [["Exit", formatPrice(exit)] as const]),
      ["Resolved", timeText(resolved_at)],
    ],
  });
}

function describeAccount(account: EventData<"account:updated">): EventText {
  const [subject, text] = accountText(account);
  const request = `${lowerFirst(subject)}. ${text}`;
  return { subject, request, path: "/dashboard", button: "Open your dashboard" };
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function describeExpiry({
  plan,
  ends_at,
  days_left,
}: EventData<"subscription:expiring">): EventText {
  const subject = `Your subscription ends in ${plural(days_left, "day")}`;
  return {
    subject,
    request: `your ${planById(plan).name} plan ends on ${timeText(ends_at)}.`,
    ...{ path: `/payment?plan=${plan}`, button: "Renew your subscription" },
  };
}

const ADMIN_USERS = { path: "/admin/users", button: "Open the users" } as const;

function describeProof(proof: EventData<"proof:submitted">): EventText {
  const { username, sender_name, submitted_at, plan, duplicate_of, renewal } = proof;
  return {
    subject: `New proof of payment of ${username}`,
    request: `${username} has submitted a proof of payment${renewal ? " for a renewal" : ""}. It waits for your review.`,
    facts: [
      ["Sender", sender_name],
      ["Submitted", timeText(submitted_at)],
      ...(plan ? [["Plan", planById(plan).name] as const] : []),
      ...(duplicate_of ? [["Same image as of", duplicate_of] as const] : []),
    ],
    ...ADMIN_USERS,
    button: "Review the proof",
  };
}

const describeUser = ({
  username,
  email,
  created_at,
}: EventData<"user:registered">): EventText => ({
  subject: `New user: ${username}`,
  request: `${username} has registered.`,
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
}: EventData<"budget:reached">): EventText => ({
  subject: `${percent}% of today's AI budget is used`,
  request: `${percent}% of today's AI budget is used. The day ends at midnight UTC.`,
  facts: [
    ["Spent", formatUsd(spent_usd)],
    ["Budget", formatUsd(budget_usd)],
  ],
  ...{ path: "/admin/system", button: "Open the system page" },
});
