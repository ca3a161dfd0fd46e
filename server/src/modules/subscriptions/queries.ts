import { planById } from "@shared/contract/plans.ts";
import type { BillingPeriod, OwnSubscription } from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentSubscription } from "@shared/domain/subscription-access.ts";
import { monthStart, statusAt } from "@shared/domain/subscription-schedule.ts";
import { periodOfMonth } from "@shared/domain/subscriptions.ts";
import { presentProof } from "@shared/domain/user-card.ts";
import type { Types } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { createSignPath, type SignPath } from "../files/signed-url.ts";

/** The subscription of a user, with what they have paid for. */
export async function getOwnSubscription(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  user: UserRecord,
): Promise<OwnSubscription> {
  const [periods, nextCredits] = await Promise.all([
    listBillingPeriods(deps.database, user._id, createSignPath(deps)),
    findNextCredits(deps, user),
  ]);
  return {
    subscription: presentSubscription(user, deps.now()),
    next_credits: nextCredits,
    periods,
  };
}

async function findNextCredits(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  { _id, subscription }: UserRecord,
): Promise<OwnSubscription["next_credits"]> {
  if (!subscription || statusAt(subscription, now()) === "ended") return null;
  const { creditedMonths: month, months } = subscription;
  if (month === months) return null;
  const period = await periodOfMonth(database, { userId: _id, subscription, month });
  const { imageCredits } = planById(period?.plan ?? subscription.plan);
  return { at: monthStart(subscription, month).toISOString(), credits: imageCredits };
}

/** A user's payments with their proofs, newest first. */
export async function listBillingPeriods(
  { billingPeriods, paymentProofs }: Pick<Database, "billingPeriods" | "paymentProofs">,
  userId: Types.ObjectId,
  signPath: SignPath,
): Promise<BillingPeriod[]> {
  const [periods, proofs] = await Promise.all([
    billingPeriods.find({ userId }).sort({ subscribedAt: -1, firstMonth: -1 }).lean(),
    paymentProofs.find({ userId }).lean(),
  ]);
  const proofById = new Map(proofs.map((proof) => [proof._id.toString(), presentProof(proof)]));
  return periods.map(({ plan, months, startedAt, endsAt, revokedAt, proofId }) => {
    const proof = proofById.get(proofId?.toString() ?? "");
    return {
      plan,
      months,
      price_usd: planById(plan).monthlyUsd * months,
      started_at: startedAt.toISOString(),
      ends_at: endsAt.toISOString(),
      revoked_at: revokedAt?.toISOString() ?? null,
      proof: proof
        ? {
            sender_name: proof.sender_name,
            submitted_at: proof.submitted_at,
            url: signPath(proof.url),
          }
        : null,
    };
  });
}
