import { type PlanId, planById } from "@shared/contract/plans.ts";
import { SUBSCRIPTION_MONTHS } from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import {
  AWAITS_REVIEW,
  type PaymentProofRecord,
  type SubscriptionRecord,
} from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readPlans } from "@shared/domain/plans.ts";
import { addSubscriptionEmail } from "@shared/domain/subscription-email.ts";
import { extendSubscription, newSubscription } from "@shared/domain/subscription-schedule.ts";
import { settleSubscription } from "@shared/domain/subscriptions.ts";
import { type AccountAudience, addAccountUpdatedEvents } from "@shared/domain/user-card.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { Types } from "mongoose";

/** Who has accepted a payment that was verified on its blockchain. No user has this name: it has a blank. */
export const AUTOMATIC_APPROVER = "automatic approval";

export function runningSubscription({ subscription }: UserRecord): SubscriptionRecord | undefined {
  return subscription?.status === "ended" ? undefined : subscription;
}

/** Accepts the proof of payment that awaits review, or was rejected: the administrator has thought again. */
export const acceptProof = (
  { paymentProofs }: Database,
  { session, at }: UnitOfWork,
  userId: Types.ObjectId,
): Promise<PaymentProofRecord | null> =>
  paymentProofs
    .findOneAndUpdate(
      { userId, replacedById: null, $or: [AWAITS_REVIEW, { rejection: { $exists: true } }] },
      { $set: { reviewedAt: at }, $unset: { rejection: 1 } },
      { session },
    )
    .lean();

interface NewPayment {
  plan: PlanId;
  months: number | undefined;
  proof: PaymentProofRecord | null;
  /** The name of the administrator, or `AUTOMATIC_APPROVER`. */
  by: string;
  graceDays: number;
  /** Of the transaction, if no administrator has accepted the payment. */
  automatic?: { transaction: string };
  reason: "subscription-started" | "subscription-renewed";
  audience?: AccountAudience;
}

/**
 * Starts or extends the subscription, and grants the credits of the months that have started.
 * @param user their subscription is settled
 */
export async function addPayment(
  database: Database,
  uow: UnitOfWork,
  user: UserRecord,
  {
    plan,
    months = SUBSCRIPTION_MONTHS.default,
    proof,
    by,
    reason,
    graceDays,
    automatic,
    audience,
  }: NewPayment,
): Promise<UserRecord> {
  const { session, at } = uow;
  const running = runningSubscription(user);
  const terms = { plan, months, graceDays };
  const subscription = running ? extendSubscription(running, terms) : newSubscription(at, terms);
  const { monthlyUsd, imageCredits } = planById(plan, await readPlans(database, session));
  const period = {
    _id: new Types.ObjectId(),
    userId: user._id,
    plan,
    months,
    monthlyUsd,
    imageCredits,
    subscribedAt: subscription.startedAt,
    firstMonth: running?.months ?? 0,
    startedAt: running?.endsAt ?? at,
    endsAt: subscription.endsAt,
    by,
    createdAt: at,
    ...(proof && { proofId: proof._id }),
  };
  await database.billingPeriods.create([period], { session });
  // A plan contains image credits, which cannot be used without it.
  const allowImageUpload = user.isImageUploadBlocked !== true;
  const changed = await database.users
    .findOneAndUpdate(
      { _id: user._id },
      { $set: { subscription, approved: true, allowImageUpload } },
      { session, returnDocument: "after" },
    )
    .lean();
  if (!changed) return user;
  const type = running ? "subscription:renewed" : "subscription:started";
  const granted = { ...(allowImageUpload && !user.allowImageUpload && { image_upload: true }) };
  const details = { plan, months, ...granted, ...(automatic && { automatic: true, ...automatic }) };
  uow.log({ type, user: user.username, details, ...(automatic && { actor: null }) });
  await addAccountUpdatedEvents(database, uow, {
    user: changed,
    reason,
    isAutomatic: automatic !== undefined,
    audience,
  });
  addSubscriptionEmail(database, uow, changed, reason);
  return settleSubscription(database, uow, changed, audience);
}
