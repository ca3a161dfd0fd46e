import type { PaymentProof } from "@shared/contract/account.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import { type PlanId, planById } from "@shared/contract/plans.ts";
import {
  type BillingPeriod,
  ENDING_DAYS,
  type OwnSubscription,
  type SubscriptionStatus,
  type SubscriptionSummary,
} from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import { AWAITS_REVIEW, type BillingPeriodRecord } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentSubscription } from "@shared/domain/access.ts";
import { monthStart, statusAt } from "@shared/domain/subscription-schedule.ts";
import { periodOfMonth } from "@shared/domain/subscriptions.ts";
import { presentProof } from "@shared/domain/user-card.ts";
import type { Types } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { createSignPath, type SignPath } from "../files/signed-url.ts";

export async function getOwnSubscription(
  deps: ServerDeps,
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
  { database, now }: ServerDeps,
  { _id, subscription }: UserRecord,
): Promise<OwnSubscription["next_credits"]> {
  if (!subscription || statusAt(subscription, now()) === "ended") return null;
  const { creditedMonths: month, months } = subscription;
  if (month === months) return null;
  const period = await periodOfMonth(database, { userId: _id, subscription, month });
  const credits = period?.imageCredits ?? planById(subscription.plan).imageCredits;
  return { at: monthStart(subscription, month).toISOString(), credits };
}

/** A user's payments with their proofs, newest first. */
export async function listBillingPeriods(
  { billingPeriods, paymentProofs }: Database,
  userId: Types.ObjectId,
  signPath: SignPath,
): Promise<BillingPeriod[]> {
  const [periods, proofs] = await Promise.all([
    billingPeriods.find({ userId }).sort({ subscribedAt: -1, firstMonth: -1 }).lean(),
    paymentProofs.find({ userId }).lean(),
  ]);
  const proofById = new Map(proofs.map((proof) => [proof._id.toString(), presentProof(proof)]));
  return periods.map((period) =>
    presentPeriod(period, proofById.get(period.proofId?.toString() ?? ""), signPath),
  );
}

export const presentPeriod = (
  { plan, months, monthlyUsd, startedAt, endsAt, revokedAt }: BillingPeriodRecord,
  proof: PaymentProof | undefined,
  signPath: SignPath,
): BillingPeriod => ({
  plan,
  months,
  price_usd: monthlyUsd * months,
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
});

const ENDED_DAYS = 30;

const daysAfter = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS);

/** Numbers of subscriptions at this time, whether or not a worker has stored their status. */
export async function summarizeSubscriptions({
  database,
  now,
}: ServerDeps): Promise<SubscriptionSummary> {
  const at = now();
  const [groups, ended, revenue, revenueBefore, proofs] = await Promise.all([
    countGroups(database, at),
    database.users
      .countDocuments({ "subscription.accessEndsAt": { $lte: at } })
      .hint({ "subscription.accessEndsAt": 1 }),
    revenueAt(database, at),
    revenueAt(database, daysAfter(at, -ENDED_DAYS)),
    database.paymentProofs.find(AWAITS_REVIEW).select({ createdAt: 1 }).lean(),
  ]);
  const active = groups.filter(({ _id }) => _id.status === "active");
  const count = (status: SubscriptionStatus) =>
    sum(groups.filter(({ _id }) => _id.status === status).map((group) => group.count));
  const activeOf = (id: PlanId) =>
    sum(active.filter(({ _id }) => _id.plan === id).map((group) => group.count));
  return {
    active: count("active"),
    grace: count("grace"),
    ended_30_days: count("ended"),
    ended,
    ending_7_days: sum(active.map(({ ending }) => ending)),
    monthly_revenue_usd: revenue,
    monthly_revenue_change_usd: revenue - revenueBefore,
    by_plan: {
      starter: activeOf("starter"),
      trader: activeOf("trader"),
      pro: activeOf("pro"),
      institutional: activeOf("institutional"),
    },
    proofs_waiting: proofs.length,
    median_proof_submitted_at: median(proofs.map(({ createdAt }) => createdAt)),
  };
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** Subscriptions that give access, and those that have ended recently. */
function countGroups(
  { users }: Database,
  at: Date,
): Promise<{ _id: { plan: PlanId; status: SubscriptionStatus }; count: number; ending: number }[]> {
  const isActive = { $gt: ["$subscription.endsAt", at] };
  const isInGrace = { $gt: ["$subscription.accessEndsAt", at] };
  const endsSoon = { $lte: ["$subscription.endsAt", daysAfter(at, ENDING_DAYS)] };
  const status = { $cond: [isActive, "active", { $cond: [isInGrace, "grace", "ended"] }] };
  return users.aggregate([
    { $match: { "subscription.accessEndsAt": { $gt: daysAfter(at, -ENDED_DAYS) } } },
    {
      $group: {
        _id: { plan: "$subscription.plan", status },
        count: { $sum: 1 },
        ending: { $sum: { $cond: [endsSoon, 1, 0] } },
      },
    },
  ]);
}

/** Monthly revenue at a time, from the payments. */
async function revenueAt({ billingPeriods }: Database, at: Date): Promise<number> {
  const [total] = await billingPeriods.aggregate<{ revenue: number }>([
    {
      $match: {
        endsAt: { $gt: at },
        startedAt: { $lte: at },
        $or: [{ revokedAt: { $exists: false } }, { revokedAt: { $gt: at } }],
      },
    },
    { $group: { _id: null, revenue: { $sum: "$monthlyUsd" } } },
  ]);
  return total?.revenue ?? 0;
}

function median(times: readonly Date[]): string | null {
  const sorted = times.map((time) => time.getTime()).sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1];
  const high = sorted[Math.floor(middle)] ?? low;
  return low === undefined || high === undefined ? null : new Date((low + high) / 2).toISOString();
}
