import type { AccountReason, EventData } from "@shared/contract/events.ts";
import type { Analysis } from "@shared/contract/signal.ts";

/** Entry, stop loss and take profit with their names. A WAIT may have none. */
export const namedLevels = ({ entry, stop_loss, take_profit }: Analysis): [string, number][] =>
  (
    [
      ["Entry", entry],
      ["Stop loss", stop_loss],
      ["Take profit", take_profit],
    ] as const
  ).flatMap(([name, price]) => (price === null ? [] : [[name, price]]));

export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

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
    "email-verified": () => ["Your email address is verified", "Thank you."],
    "proof-submitted": () => [
      "Your proof of payment was submitted",
      "An administrator will review it.",
    ],
    "subscription-started": () => [
      "Your subscription has started",
      "You can now use the signal bot.",
    ],
    "subscription-renewed": () => [
      "Your subscription is renewed",
      "Your dashboard shows until when it runs.",
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

/** What happened to the account, and what it means for its user. */
export const accountText = (account: Account): [title: string, text: string] =>
  ACCOUNT_TEXTS[account.reason](account);
