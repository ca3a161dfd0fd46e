import type { AccountReason } from "@shared/contract/events.ts";
import type { Notification } from "@shared/contract/notifications.ts";
import type { Outcome } from "@shared/contract/signal.ts";
import { confidenceWords } from "../lib/confidence.ts";
import { formatPlural, formatPriceInText } from "../lib/format.ts";
import { describeAdminEvent } from "./describe-admin-event.ts";
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
    case "signal:outcome":
    case "signal:entry-left":
      return describeProgress(item);
    case "account:updated":
      return { ...describeAccount(item.data), to: "/dashboard" };
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
  const { signal_id: id, symbol, timeframe, analysis } = item.data;
  const to = signalPath(id);
  if (item.name === "signal:failed" || !analysis) {
    return { title: "Signal failed", text: `${symbol}, ${timeframe}`, to };
  }
  const { final_signal: kind } = analysis;
  const text = `${timeframe}, ${confidenceWords(kind, analysis)}`;
  return { title: `${kind} ${symbol}`, text, to };
}

const outcomeTexts: Record<Outcome, string> = {
  WIN: "the trade won",
  LOSS: "the trade lost",
  EXPIRED: "the trade expired",
};

function describeProgress(item: Named<"signal:outcome" | "signal:entry-left">): NotificationText {
  const { signal_id: id, symbol = "a deleted signal", timeframe } = item.data;
  const [title, fact] =
    item.name === "signal:outcome"
      ? [`${item.data.outcome} ${symbol}`, outcomeTexts[item.data.outcome]]
      : [
          `Entry missed ${symbol}`,
          `the price left the entry zone at ${formatPriceInText(item.data.price)}`,
        ];
  return { title, text: [timeframe ?? [], fact].flat().join(", "), to: signalPath(id) };
}

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
  "role-changed": ({ role }) => ({ title: "Role changed", text: `Your role is now ${role}.` }),
};

const describeAccount = (account: Account): AccountText =>
  accountTexts[account.reason]?.(account) ?? { title: "Account updated", text: "" };
