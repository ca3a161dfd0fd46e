import { DAY_MS } from "@shared/contract/durations.ts";
import { type PlanId, planById } from "@shared/contract/plans.ts";
import {
  ENDING_DAYS,
  type SubscriptionStatus,
  type SubscriptionSummary,
} from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { AWAITS_REVIEW } from "../users/list-users.ts";

const ENDED_DAYS = 30;

const daysAfter = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS);

/** Numbers of subscriptions at this time, whether or not a worker has stored their status. */
export async function summarizeSubscriptions({
  database,
  now,
}: Pick<ServerDeps, "database" | "now">): Promise<SubscriptionSummary> {
  const at = now();
  const [groups, revenueBefore, proofs] = await Promise.all([
    countGroups(database, at),
    revenueAt(database, daysAfter(at, -ENDED_DAYS)),
    database.paymentProofs.find(AWAITS_REVIEW).select({ createdAt: 1 }).lean(),
  ]);
  const active = groups.filter(({ _id }) => _id.status === "active");
  const count = (status: SubscriptionStatus) =>
    sum(groups.filter(({ _id }) => _id.status === status).map((group) => group.count));
  const activeOf = (id: PlanId) =>
    sum(active.filter(({ _id }) => _id.plan === id).map((group) => group.count));
  const revenue = revenueOf(active);
  return {
    active: count("active"),
    grace: count("grace"),
    ended_30_days: count("ended"),
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

const revenueOf = (groups: readonly { _id: { plan: PlanId }; count: number }[]): number =>
  sum(groups.map(({ _id, count }) => planById(_id.plan).monthlyUsd * count));

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

/** Monthly revenue at an earlier time, from the payments. */
async function revenueAt({ billingPeriods }: Database, at: Date): Promise<number> {
  const groups = await billingPeriods.aggregate<{ _id: { plan: PlanId }; count: number }>([
    {
      $match: {
        endsAt: { $gt: at },
        startedAt: { $lte: at },
        $or: [{ revokedAt: { $exists: false } }, { revokedAt: { $gt: at } }],
      },
    },
    { $group: { _id: { plan: "$plan" }, count: { $sum: 1 } } },
  ]);
  return revenueOf(groups);
}

function median(times: readonly Date[]): string | null {
  const sorted = times.map((time) => time.getTime()).sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : new Date((low + high) / 2).toISOString();
}
