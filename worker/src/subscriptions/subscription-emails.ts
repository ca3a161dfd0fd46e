import { DAY_MS } from "@shared/contract/constants.ts";
import { EVENTS } from "@shared/contract/events/event-table.ts";
import { type Plan, planById } from "@shared/contract/plans.ts";
import { REMINDER_DAYS } from "@shared/contract/subscription.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { SubscriptionEmail } from "@shared/domain/subscription-email.ts";
import {
  type AccountEmail,
  type Brand,
  composeEmail,
  DEFAULT_BRAND,
  type Wording,
} from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";

const REMINDERS = `We will remind you ${REMINDER_DAYS.slice(0, -1).join(", ")} and ${REMINDER_DAYS.at(-1)} days before it ends.`;
const NO_AUTOMATIC_RENEWAL = "Nothing is charged automatically: you pay for each month you want.";
const KEPT = "Your signal history and unused image credits stay in your account.";

/** The email about a subscription to its user, as it reads at this time. */
export function subscriptionEmail(
  { kind, subscription }: Pick<SubscriptionEmail, "kind" | "subscription">,
  context: {
    user: Pick<UserRecord, "email" | "username">;
    at: Date;
    webUrl: string;
    plans: readonly Plan[];
    brand?: Brand;
  },
): Mail {
  const { user, at, webUrl, plans, brand = DEFAULT_BRAND } = context;
  const { formatTime } = brand;
  const { plan, endsAt, accessEndsAt } = subscription;
  const { name, monthlyUsd, imageCredits } = planById(plan, plans);
  const account = (path: string): AccountEmail => ({
    to: user.email,
    username: user.username,
    link: new URL(path, webUrl).href,
  });
  const days_left = Math.max(1, Math.ceil((endsAt.getTime() - at.getTime()) / DAY_MS));
  const reminder = EVENTS["subscription:expiring"].describe({ plan, days_left });
  const renewal = { ...account(reminder.path), button: reminder.button };
  // What the user is notified of.
  const notified =
    kind === "subscription-expiring"
      ? reminder
      : EVENTS["account:updated"].describe({ reason: kind });
  const { title, path, button } = notified;
  const subject = `Your ${brand.name} ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  const howToRenew = `To renew it, pay the fee of $${monthlyUsd} for each month and submit your proof of payment.`;
  const runs = `Your ${name} plan runs until ${formatTime(endsAt)}. Each month adds ${imageCredits} image credits to your account, and unused ones stay.`;
  const compose = (to: AccountEmail, wording: Wording) => composeEmail(to, wording, brand);
  switch (kind) {
    case "subscription-started":
      return compose(account("/bot"), {
        subject: `Your ${brand.name} subscription has started`,
        request: `Your account is approved. ${runs}`,
        button: "Open the signal bot",
        note: `${REMINDERS} ${NO_AUTOMATIC_RENEWAL}`,
      });
    case "subscription-renewed":
      return compose(account(path), {
        subject: `Your ${brand.name} subscription is renewed`,
        request: `Thank you for your payment. ${runs}`,
        button,
        note: `${REMINDERS} ${NO_AUTOMATIC_RENEWAL}`,
      });
    case "subscription-expiring":
      return compose(renewal, {
        subject,
        request: `Your ${name} plan ends on ${formatTime(endsAt)}. ${howToRenew} The renewed time starts at that end, so you lose nothing if you renew early.`,
        button: renewal.button,
        note: `${accessAfter(subscription, brand)} ${KEPT}`,
      });
    case "subscription-grace":
      return compose(renewal, {
        subject: `${subject}: renew it to keep your access`,
        request: `Your ${name} plan ended on ${formatTime(endsAt)}. You can use the signal bot until ${formatTime(accessEndsAt)}. ${howToRenew}`,
        button: renewal.button,
        note: `If you have submitted your proof already, you need not do anything: an administrator reviews it. ${KEPT}`,
      });
    case "subscription-ended":
      return compose(renewal, {
        subject,
        request: `Your ${name} plan has ended, and you can no longer use the signal bot. ${howToRenew} You can choose another plan, too.`,
        button: renewal.button,
        note: `${KEPT} You can still log in.`,
      });
  }
}

const accessAfter = (
  { endsAt, accessEndsAt }: SubscriptionEmail["subscription"],
  { formatTime }: Brand,
): string =>
  accessEndsAt > endsAt
    ? `Without a renewal, you can use the signal bot until ${formatTime(accessEndsAt)}.`
    : "Without a renewal, you cannot use the signal bot after that.";
