import { csvLine } from "@shared/contract/csv.ts";
import { planById } from "@shared/contract/plans.ts";
import type { Database } from "@shared/database/database.ts";
import type { BillingPeriodRecord } from "@shared/database/models/subscription.ts";

const COLUMNS = [
  ...["username", "email", "plan", "months", "price_usd"],
  ...["started_at", "ends_at", "revoked_at", "approved_at", "approved_by"],
];

type Payment = BillingPeriodRecord & { user: [{ username: string; email: string }] };

/** All payments of existing users as CSV (RFC 4180), oldest first, written while it is sent. */
export async function* exportPayments({ billingPeriods }: Database): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  const payments = billingPeriods.aggregate<Payment>([
    { $sort: { _id: 1 } },
    { $lookup: { from: "users", localField: "userId", foreignField: "_id", as: "user" } },
    { $match: { user: { $ne: [] } } },
    { $project: { ...PERIOD_FIELDS, "user.username": 1, "user.email": 1 } },
  ]);
  for await (const { user, ...period } of payments.cursor<Payment>()) {
    const [{ username, email }] = user;
    const { plan, months, startedAt, endsAt, revokedAt, createdAt, by } = period;
    yield csvLine([
      ...[username, email, plan, months, planById(plan).monthlyUsd * months],
      ...[startedAt.toISOString(), endsAt.toISOString(), revokedAt?.toISOString() ?? ""],
      ...[createdAt.toISOString(), by],
    ]);
  }
}

const PERIOD_FIELDS = {
  ...{ plan: 1, months: 1, startedAt: 1, endsAt: 1 },
  ...{ revokedAt: 1, createdAt: 1, by: 1 },
};
