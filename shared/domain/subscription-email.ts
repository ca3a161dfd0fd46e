import { UNDO_SECONDS } from "@shared/contract/constants.ts";
import { planIdSchema } from "@shared/contract/subscription.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import type { UserRecord } from "../database/models/user.ts";
import { addEmail, latestSending, SEND_EMAIL } from "./email-work.ts";

export const EMAIL_KINDS = [
  "subscription-started",
  "subscription-renewed",
  "subscription-expiring",
  "subscription-grace",
  "subscription-ended",
] as const;

/** Data of such an item. */
export const subscriptionEmailSchema = z.object({
  userId: z.string(),
  kind: z.enum(EMAIL_KINDS),
  /** As it was at that time. */
  subscription: z.object({ plan: planIdSchema, endsAt: z.date(), accessEndsAt: z.date() }),
  expiresAt: z.date(),
});

export type SubscriptionEmail = z.infer<typeof subscriptionEmailSchema>;

/** Adds an email about the user's subscription as it is now. */
export function addSubscriptionEmail(
  database: Database,
  uow: UnitOfWork,
  user: UserRecord,
  kind: SubscriptionEmail["kind"],
): void {
  if (!user.subscription) return;
  const { plan, endsAt, accessEndsAt } = user.subscription;
  const latest = latestSending(uow.at);
  // An approval can be undone for a moment.
  const delayMs = kind === "subscription-started" ? UNDO_SECONDS.email * 1_000 : 0;
  const dueAt = new Date(uow.at.getTime() + delayMs);
  const data: SubscriptionEmail = {
    userId: user._id.toString(),
    kind,
    subscription: { plan, endsAt, accessEndsAt },
    expiresAt: kind === "subscription-expiring" && endsAt < latest ? endsAt : latest,
  };
  addEmail(database, uow, data, { dueAt });
}

/** Removes the emails of a kind that no worker has started to send. */
export async function removeSubscriptionEmails(
  { jobs }: Database,
  { session }: UnitOfWork,
  userId: Types.ObjectId,
  kind: SubscriptionEmail["kind"],
): Promise<void> {
  const waiting = { name: SEND_EMAIL, lockedAt: null, "data.userId": userId.toString() };
  await jobs.deleteMany({ ...waiting, "data.kind": kind }, { session });
}
