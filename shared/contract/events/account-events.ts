import { PROOF_ANCHOR } from "../constants.ts";
import type { ProofRejection } from "../proof-rejection.ts";
import type { AccountReason, EventData } from "./event-data.ts";
import type { EventText } from "./event-entry.ts";

/** Pushes may lack all of it. */
type Account = Partial<EventData<"account:updated">>;
type Said = Pick<EventText, "title" | "text">;

export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

const creditsLeft = ({ image_credits: credits }: Account): string =>
  credits === undefined ? "" : `You have ${plural(credits, "image credit")}.`;

/** Of the template; a note of the administrator may follow. */
export const REJECTION_TEXTS: Record<ProofRejection["reason"], string> = {
  "amount-too-low": "The amount is lower than the fee of the plan.",
  unreadable: "The image cannot be read.",
  "wrong-account": "The payment did not go to one of our accounts.",
  duplicate: "This payment was submitted before.",
  other: "",
};

/** Why a payment proof was rejected, for the user who submitted it. */
export const rejectionText = ({ reason, note }: ProofRejection): string =>
  [REJECTION_TEXTS[reason], note && asSentence(note)].filter(Boolean).join(" ");

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const say = (title: string, text: string) => (): Said => ({ title, text });

const verified = ({ automatic }: Account): string =>
  automatic ? "Your payment was verified automatically. " : "";

const ACCOUNT_TEXTS: Record<AccountReason, (account: Account) => Said> = {
  approved: say("Account approved", "You can now use the signal bot and view your history."),
  revoked: say(
    "Approval revoked",
    "You no longer have access to the signal bot and signal history.",
  ),
  "credits-granted": (account) => ({ title: "Image credits changed", text: creditsLeft(account) }),
  "credit-spent": (account) => ({ title: "Image credit spent", text: creditsLeft(account) }),
  "credit-refunded": (account) => ({ title: "Image credit refunded", text: creditsLeft(account) }),
  "image-access": ({ allow_image_upload: isAllowed }) =>
    isAllowed
      ? { title: "Chart images allowed", text: "You can attach chart images to requests." }
      : { title: "Chart images blocked", text: "You can no longer attach chart images." },
  "role-changed": ({ role }) => ({
    title: "Role changed",
    text: role === undefined ? "" : `Your role is now ${role}.`,
  }),
  "email-verified": say("Email address verified", "You can now get signals by email."),
  "proof-submitted": say("Payment proof submitted", "An administrator will review it."),
  "proof-rejected": ({ proof_rejection: rejection }) => ({
    title: "Payment proof rejected",
    text: `${rejection ? `${rejectionText(rejection)} ` : ""}Please submit a new one.`,
  }),
  "subscription-started": (account) => ({
    title: "Subscription started",
    text: `${verified(account)}You can now use the signal bot and view your history.`,
  }),
  "subscription-renewed": (account) => ({
    title: "Subscription renewed",
    text: `${verified(account)}Your dashboard shows until when it runs.`,
  }),
  "subscription-grace": say(
    "Subscription has ended",
    "You keep your access for a few days. Renew now to stay subscribed.",
  ),
  "subscription-ended": say(
    "Subscription has ended",
    "Renew it to use the signal bot again. Your history is kept.",
  ),
};

/** Changes that users should see at once, wherever they are. */
const TOASTED: readonly AccountReason[] = [
  "approved",
  "revoked",
  "proof-rejected",
  "subscription-started",
  "subscription-renewed",
  "subscription-grace",
  "subscription-ended",
];

export const DASHBOARD = { path: "/dashboard", button: "Open your dashboard" } as const;

export const NEW_PROOF = {
  path: `/dashboard#${PROOF_ANCHOR}`,
  button: "Submit a new proof",
} as const;

export const ACCOUNT_EVENTS = {
  "account:updated": {
    audience: "user",
    isNotified: true,
    isToasted: ({ reason }: EventData<"account:updated">) => TOASTED.includes(reason),
    describe: (account: Account): EventText => ({
      ...(account.reason && Object.hasOwn(ACCOUNT_TEXTS, account.reason)
        ? ACCOUNT_TEXTS[account.reason](account)
        : { title: "Account updated", text: "Open the dashboard for details." }),
      ...(account.reason === "proof-rejected" ? NEW_PROOF : DASHBOARD),
    }),
    channel: {
      event: "account.updated",
      isDefault: true,
      when: "Your account changes",
      plural: "Account changes",
    },
  },
  "subscription:expiring": {
    audience: "user",
    isNotified: true,
    isToasted: () => true,
    describe: ({
      plan,
      days_left: days,
    }: Partial<EventData<"subscription:expiring">>): EventText => ({
      title: `Subscription ends ${days === undefined ? "soon" : `in ${plural(days, "day")}`}`,
      text: "Renew it to keep your access.",
      path: plan === undefined ? "/payment" : `/payment?plan=${plan}`,
      button: "Renew your subscription",
    }),
    channel: {
      event: "subscription.expiring",
      isDefault: true,
      when: "Your subscription ends soon",
      plural: "Subscription reminders",
    },
  },
  "proof:deleted": {
    audience: "user",
    isNotified: true,
    describe: (): EventText => ({
      title: "Payment proof deleted",
      text: "An administrator deleted it. You can submit a new one.",
      ...DASHBOARD,
    }),
  },
  "history:cleared": {
    audience: "user",
    isNotified: true,
    describe: (): EventText => ({
      title: "Signal history cleared",
      text: "An administrator deleted your signals.",
      path: "/signal-history",
      button: "Open your history",
    }),
  },
  "notifications:seen": { audience: "user" },
} as const;
