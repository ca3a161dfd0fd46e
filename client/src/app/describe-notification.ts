import { factsOfKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { AccountReason, Notification } from "@shared/contract/events.ts";
import type { Outcome } from "@shared/contract/signal.ts";
import { confidenceWords } from "../domain/confidence.ts";
import { formatPlural, formatPriceInText, formatUsd } from "../lib/format.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";
import { adminLink } from "./nav-items.tsx";

interface NotificationText {
  title: string;
  text: string;
  /** The page about it. */
  to: string;
}

export function describeNotification(item: Notification): NotificationText {
  switch (item.name) {
    case "signal:completed":
    case "signal:failed":
      return describeResult(item);
    case "signal:filled":
    case "signal:outcome":
    case "signal:entry-left":
      return describeProgress(item);
    case "account:updated":
      return { ...describeAccount(item.data), to: "/dashboard" };
    case "subscription:expiring":
      return {
        title: `Subscription ends in ${formatPlural(item.data.days_left, "day")}`,
        text: "Renew it to keep your access.",
        to: `/payment?plan=${item.data.plan}`,
      };
    case "channel:disabled":
      return { ...describeDisabledChannel(item.data), to: "/user-panel#notifications" };
    case "proof:deleted":
      return {
        title: "Payment proof deleted",
        text: "An administrator deleted it. You can submit a new one.",
        to: "/dashboard",
      };
    case "history:cleared":
      return {
        title: "Signal history cleared",
        text: "An administrator deleted your signals.",
        to: "/signal-history",
      };
    default: {
      const { title, description: text } = describeAdminEvent(item);
      return { title, text, to: adminLink.to };
    }
  }
}

type Named<Name extends Notification["name"]> = Extract<Notification, { name: Name }>;

const signalPath = (id: string) => `/signals/${id}`;

function describeResult(item: Named<"signal:completed" | "signal:failed">): NotificationText {
  const { signal_id: id, symbol, timeframe, origin, analysis } = item.data;
  const to = signalPath(id);
  if (item.name === "signal:failed" || !analysis) {
    return { title: "Signal failed", text: `${symbol}, ${timeframe}`, to };
  }
  const { final_signal: kind } = analysis;
  const text = [timeframe, confidenceWords(kind, analysis) ?? []].flat().join(", ");
  const title = `${kind} ${symbol}`;
  return { title: origin === "watchlist" ? `Watched market: ${title}` : title, text, to };
}

const outcomeTexts: Record<Outcome, string> = {
  WIN: "the trade won",
  LOSS: "the trade lost",
  EXPIRED: "the trade expired",
};

type Progress = Named<"signal:filled" | "signal:outcome" | "signal:entry-left">;

function describeProgress(item: Progress): NotificationText {
  const { signal_id: id, symbol = "a deleted signal", timeframe } = item.data;
  const [title, fact] = progressFact(item, symbol);
  return { title, text: [timeframe ?? [], fact].flat().join(", "), to: signalPath(id) };
}

function progressFact(item: Progress, symbol: string): [title: string, fact: string] {
  switch (item.name) {
    case "signal:filled":
      return [`Filled ${symbol}`, `the trade was entered at ${formatPriceInText(item.data.price)}`];
    case "signal:outcome":
      return [`${item.data.outcome} ${symbol}`, outcomeTexts[item.data.outcome]];
    case "signal:entry-left":
      return [
        `Entry missed ${symbol}`,
        `the price left the entry zone at ${formatPriceInText(item.data.price)}`,
      ];
  }
}

const describeDisabledChannel = ({ kind, reason }: Named<"channel:disabled">["data"]) => ({
  title: `${factsOfKind(kind).name} was turned off`,
  text: disabledTexts[reason],
});

const disabledTexts: Record<Named<"channel:disabled">["data"]["reason"], string> = {
  gone: "The receiver refused messages. You can turn it on again.",
  unsubscribed: "You unsubscribed with the link in an email.",
  "password-changed": "Your password was changed. You can turn it on again if it is yours.",
};

type Account = Named<"account:updated">["data"];
type AccountText = Omit<NotificationText, "to">;

const creditsLeft = ({ image_credits: credits }: Account) =>
  `You have ${formatPlural(credits, "image credit")}.`;

const accountTexts: Partial<Record<AccountReason, (account: Account) => AccountText>> = {
  approved: () => ({
    title: "Account approved",
    text: "You can now use the signal bot and view your history.",
  }),
  revoked: () => ({
    title: "Approval revoked",
    text: "You no longer have access to the signal bot and signal history.",
  }),
  "credits-granted": (account) => ({ title: "Image credits changed", text: creditsLeft(account) }),
  "credit-refunded": (account) => ({ title: "Image credit refunded", text: creditsLeft(account) }),
  "image-access": ({ allow_image_upload: allowed }) =>
    allowed
      ? { title: "Chart images allowed", text: "You can attach chart images to requests." }
      : { title: "Chart images blocked", text: "You can no longer attach chart images." },
  "subscription-started": () => ({
    title: "Subscription started",
    text: "You can now use the signal bot and view your history.",
  }),
  "subscription-renewed": () => ({
    title: "Subscription renewed",
    text: "Your dashboard shows until when it runs.",
  }),
  "subscription-grace": () => ({
    title: "Subscription has ended",
    text: "You keep your access for a few days. Renew now to stay subscribed.",
  }),
  "subscription-ended": () => ({
    title: "Subscription has ended",
    text: "Renew it to use the signal bot again. Your history is kept.",
  }),
  "role-changed": ({ role }) => ({ title: "Role changed", text: `Your role is now ${role}.` }),
};

const describeAccount = (account: Account): AccountText =>
  accountTexts[account.reason]?.(account) ?? { title: "Account updated", text: "" };

const budgetTitles = { 80: "80% of the AI budget is spent", 100: "AI budget used up" } as const;

interface AdminText {
  title: string;
  description: string;
}

type AdminEvent = Extract<
  Notification,
  { name: "user:registered" | "proof:submitted" | "budget:reached" }
>;

export function describeAdminEvent(event: AdminEvent): AdminText;
export function describeAdminEvent(event: LiveEvent): AdminText | null;
export function describeAdminEvent(event: AdminEvent | LiveEvent): AdminText | null {
  switch (event.name) {
    case "user:registered":
      return { title: "New registration", description: event.data.username };
    case "proof:submitted": {
      const { username, sender_name } = event.data;
      return { title: "New payment proof", description: `${username}, sent by ${sender_name}` };
    }
    case "budget:reached": {
      const { percent, spent_usd, budget_usd } = event.data;
      const description = `${formatUsd(spent_usd)} of ${formatUsd(budget_usd)} today (UTC).`;
      return { title: budgetTitles[percent], description };
    }
    default:
      return null;
  }
}
