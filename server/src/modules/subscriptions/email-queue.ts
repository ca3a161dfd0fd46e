import type { EmailRecord } from "@shared/database/models/subscription.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { subscriptionEmail } from "./subscription-emails.ts";

type QueueDeps = Pick<ServerDeps, "database" | "logger" | "mailer" | "now" | "settings">;

const POLL_INTERVAL_MS = 2_000;
const PAUSE_AFTER_FAILURE_MS = 15_000;

/** Longer than an attempt may take, so that an email of a server that stopped is sent by another. */
const RETRY_DELAY_MS = 2 * 60_000;

/** At a time and server. */
const MAX_EMAILS_IN_FLIGHT = 5;

/** Sends stored emails, each at least once. Several servers share them. */
export function startEmailQueue(deps: QueueDeps): { stop: () => Promise<void> } {
  return repeat({
    work: (stopping) => sendDueEmails(deps, stopping),
    intervalMs: POLL_INTERVAL_MS,
    retryMs: PAUSE_AFTER_FAILURE_MS,
    onError: (error) => deps.logger.warn({ err: error }, "stored emails could not be sent"),
  });
}

/** Sends all emails that are due. @throws the error of the first that fails; it is tried again later */
export async function sendDueEmails(deps: QueueDeps, stopping?: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const sendNext = async () => {
    while (!stopping?.aborted && !failed.signal.aborted) {
      const email = await claimEmail(deps);
      if (!email) return;
      await sendEmail(deps, email);
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

function claimEmail({ database, now }: QueueDeps): Promise<EmailRecord | null> {
  const at = now();
  return database.emails
    .findOneAndUpdate(
      { dueAt: { $lte: at } },
      { $set: { dueAt: new Date(at.getTime() + RETRY_DELAY_MS) } },
      { sort: { dueAt: 1 } },
    )
    .lean();
}

async function sendEmail({ database, mailer, now, settings }: QueueDeps, email: EmailRecord) {
  const at = now();
  const user = await database.users.findById(email.userId).select({ username: 1, email: 1 }).lean();
  const [webUrl = settings.VITE_API_URL] = settings.CLIENT_ORIGIN;
  if (user && at < email.expiresAt) {
    await mailer.send(subscriptionEmail(email, { user, at, webUrl }));
  }
  await database.emails.deleteOne({ _id: email._id });
}
