import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import { planById } from "@shared/contract/plans.ts";
import { REMINDER_DAYS } from "@shared/contract/subscription.ts";
import type { EmailRecord } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { type AccountEmail, composeEmail, formatTime } from "@shared/runtime/compose-email.ts";
import { isRefusedEmail, type Mail } from "@shared/runtime/mailer.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import type { ServerDeps } from "../../server-deps.ts";

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** A day in UTC, such as 31 March 2026. */
export const formatDay = (time: Date): string => dayFormat.format(time);

const REMINDERS = `We will remind you ${REMINDER_DAYS.slice(0, -1).join(", ")} and ${REMINDER_DAYS.at(-1)} days before it ends.`;
const NO_AUTOMATIC_RENEWAL = "Nothing is charged automatically: you pay for each month you want.";
const KEPT = "Your signal history and unused image credits stay in your account.";

/** The email about a subscription to its user, as it reads at this time. */
export function subscriptionEmail(
  { kind, subscription }: Pick<EmailRecord, "kind" | "subscription">,
  { user, at, webUrl }: { user: Pick<UserRecord, "email" | "username">; at: Date; webUrl: string },
): Mail {
  const { plan, endsAt, accessEndsAt } = subscription;
  const { id, name, monthlyUsd, imageCredits } = planById(plan);
  const account = (path: string): AccountEmail => ({
    to: user.email,
    username: user.username,
    link: new URL(path, webUrl).href,
  });
  const renewal = { ...account(`/payment?plan=${id}`), button: "Renew your subscription" };
  const howToRenew = `To renew it, pay the fee of $${monthlyUsd} for each month and submit your proof of payment.`;
  const runs = `Your ${name} plan runs until ${formatTime(endsAt)}. Each month adds ${imageCredits} image credits to your account, and unused ones stay.`;
  switch (kind) {
    case "subscription-started":
      return composeEmail(account("/bot"), {
        subject: "Your AI Trading Signals subscription has started",
        request: `Your account is approved. ${runs}`,
        button: "Open the signal bot",
        note: `${REMINDERS} ${NO_AUTOMATIC_RENEWAL}`,
      });
    case "subscription-renewed":
      return composeEmail(account("/dashboard"), {
        subject: "Your AI Trading Signals subscription is renewed",
        request: `Thank you for your payment. ${runs}`,
        button: "Open your dashboard",
        note: `${REMINDERS} ${NO_AUTOMATIC_RENEWAL}`,
      });
    case "subscription-expiring":
      return composeEmail(renewal, {
        subject: `Your AI Trading Signals subscription ends in ${daysBetween(at, endsAt)}`,
        request: `Your ${name} plan ends on ${formatTime(endsAt)}. ${howToRenew} The renewed time starts at that end, so you lose nothing if you renew early.`,
        button: renewal.button,
        note: `${accessAfter(subscription)} ${KEPT}`,
      });
    case "subscription-grace":
      return composeEmail(renewal, {
        subject: "Your AI Trading Signals subscription has ended: renew it to keep your access",
        request: `Your ${name} plan ended on ${formatTime(endsAt)}. You can use the signal bot until ${formatTime(accessEndsAt)}. ${howToRenew}`,
        button: renewal.button,
        note: `If you have submitted your proof already, you need not do anything: an administrator reviews it. ${KEPT}`,
      });
    case "subscription-ended":
      return composeEmail(renewal, {
        subject: "Your AI Trading Signals subscription has ended",
        request: `Your ${name} plan has ended, and you can no longer use the signal bot. ${howToRenew} You can choose another plan, too.`,
        button: renewal.button,
        note: `${KEPT} You can still log in.`,
      });
  }
}

function daysBetween(from: Date, to: Date): string {
  const days = Math.max(1, Math.ceil((to.getTime() - from.getTime()) / DAY_MS));
  return days === 1 ? "1 day" : `${days} days`;
}

const accessAfter = ({ endsAt, accessEndsAt }: EmailRecord["subscription"]): string =>
  accessEndsAt > endsAt
    ? `Without a renewal, you can use the signal bot until ${formatTime(accessEndsAt)}.`
    : "Without a renewal, you cannot use the signal bot after that.";

const POLL_INTERVAL_MS = 2_000;
const PAUSE_AFTER_FAILURE_MS = 15_000;

/** Longer than an attempt may take, so that an email of a server that stopped is sent by another. */
const RETRY_DELAY_MS = 2 * 60_000;

/** Of one that the mail server refuses. Each refusal doubles the delay, so that refused ones do not keep others waiting. */
const MAX_RETRY_DELAY_MS = 6 * HOUR_MS;

/** At a time and server. */
const MAX_EMAILS_IN_FLIGHT = 5;

/** Sends stored emails, each at least once. Several servers share them. */
export function startEmailQueue(deps: ServerDeps): { stop: () => Promise<void> } {
  return repeat({
    work: (stopping) => sendDueEmails(deps, stopping),
    intervalMs: POLL_INTERVAL_MS,
    retryMs: PAUSE_AFTER_FAILURE_MS,
    onError: (error) => deps.logger.warn({ err: error }, "stored emails could not be sent"),
  });
}

/**
 * Sends all emails that are due. One that the mail server refuses is tried again later, and delays no other.
 * @throws the error of the first that fails otherwise: the others would fail, too
 */
export async function sendDueEmails(deps: ServerDeps, stopping?: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const sendNext = async () => {
    while (!stopping?.aborted && !failed.signal.aborted) {
      const email = await claimEmail(deps);
      if (!email) return;
      await sendEmail(deps, email).catch((error: unknown) => postpone(deps, email, error));
    }
  };
  const senders = Array.from({ length: MAX_EMAILS_IN_FLIGHT }, () =>
    sendNext().catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  for (const result of await Promise.allSettled(senders)) {
    if (result.status === "rejected") throw result.reason;
  }
}

function claimEmail({ database, now }: ServerDeps): Promise<EmailRecord | null> {
  const at = now();
  return database.emails
    .findOneAndUpdate(
      { dueAt: { $lte: at } },
      { $set: { dueAt: new Date(at.getTime() + RETRY_DELAY_MS) } },
      { sort: { dueAt: 1 } },
    )
    .lean();
}

/** @throws `error` unless the mail server may accept other emails */
async function postpone(
  { database, logger, now }: ServerDeps,
  { _id, userId, kind, refusals = 0 }: EmailRecord,
  error: unknown,
): Promise<void> {
  if (!isRefusedEmail(error)) throw error;
  const delayMs = Math.min(RETRY_DELAY_MS * 2 ** (refusals + 1), MAX_RETRY_DELAY_MS);
  const dueAt = new Date(now().getTime() + delayMs);
  await database.emails.updateOne({ _id }, { $set: { dueAt }, $inc: { refusals: 1 } });
  logger.warn({ err: error, userId, kind, dueAt }, "the mail server refused an email");
}

async function sendEmail({ database, mailer, now, settings }: ServerDeps, email: EmailRecord) {
  const at = now();
  const user = await database.users.findById(email.userId).select({ username: 1, email: 1 }).lean();
  const [webUrl = settings.VITE_API_URL] = settings.CLIENT_ORIGIN;
  if (user && at < email.expiresAt) {
    await mailer.send(subscriptionEmail(email, { user, at, webUrl }));
  }
  await database.emails.deleteOne({ _id: email._id });
}
