import { csvLine } from "@shared/contract/files.ts";
import type {
  PaymentFilter,
  PaymentList,
  PaymentListQuery,
} from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import { type BillingPeriodRecord, PAYMENT_LIST_INDEX } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentProof } from "@shared/domain/user-card.ts";
import type { QueryFilter } from "mongoose";
import { beforeCursor, takePage } from "../../http/pagination.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { createSignPath } from "../files/signed-url.ts";
import { findUserIds } from "../users/find-users.ts";
import { presentPeriod } from "./queries.ts";

/** One page of payments, newest first, with the totals of all that the filter selects. */
export async function listPayments(
  deps: ServerDeps,
  admin: Pick<UserRecord, "_id">,
  { limit, cursor, ...filter }: PaymentListQuery,
): Promise<PaymentList> {
  const { database } = deps;
  const match = await matchingPayments(database, filter);
  const [found, months] = await Promise.all([
    database.billingPeriods
      .find({ $and: [match, beforeCursor("createdAt", cursor)] })
      .sort(PAYMENT_LIST_INDEX)
      .limit(limit + 1)
      .hint(PAYMENT_LIST_INDEX)
      .lean(),
    totalsByMonth(database, match),
  ]);
  const { page, next } = takePage(found, limit, (period) => period.createdAt);
  return {
    payments: await present(deps, admin, page),
    next_cursor: next,
    total: months.reduce((sum, month) => sum + month.payments, 0),
    months,
  };
}

/** What a filter selects. */
export async function matchingPayments(
  database: Database,
  { search, plan, proof, from, to }: PaymentFilter,
): Promise<QueryFilter<BillingPeriodRecord>> {
  return {
    // The range of the index's first field keeps every query on the index.
    createdAt: { $gte: new Date(from ?? 0), ...(to && { $lt: new Date(to) }) },
    ...(plan && { plan }),
    ...(proof && { proofId: { $exists: proof === "with" } }),
    ...(search && { userId: { $in: await findUserIds(database, search) } }),
  };
}

function totalsByMonth(
  { billingPeriods }: Database,
  match: QueryFilter<BillingPeriodRecord>,
): Promise<PaymentList["months"]> {
  const month = { $dateToString: { date: "$createdAt", format: "%Y-%m" } };
  return billingPeriods
    .aggregate<PaymentList["months"][number]>([
      { $match: match },
      {
        $group: {
          _id: month,
          payments: { $sum: 1 },
          revenue_usd: { $sum: { $multiply: ["$monthlyUsd", "$months"] } },
        },
      },
      { $sort: { _id: -1 } },
      { $project: { _id: 0, month: "$_id", payments: 1, revenue_usd: 1 } },
    ])
    .hint(PAYMENT_LIST_INDEX);
}

async function present(
  deps: ServerDeps,
  admin: Pick<UserRecord, "_id">,
  periods: readonly BillingPeriodRecord[],
): Promise<PaymentList["payments"]> {
  const { users, paymentProofs } = deps.database;
  const userIds = periods.map(({ userId }) => userId);
  const proofIds = periods.flatMap(({ proofId }) => proofId ?? []);
  const [owners, proofs] = await Promise.all([
    users
      .find({ _id: { $in: userIds } })
      .select({ username: 1 })
      .lean(),
    paymentProofs.find({ _id: { $in: proofIds } }).lean(),
  ]);
  const nameById = new Map(owners.map(({ _id, username }) => [_id.toString(), username]));
  const proofById = new Map(proofs.map((proof) => [proof._id.toString(), presentProof(proof)]));
  const signPath = createSignPath(deps, admin);
  return periods.map((period) => ({
    ...presentPeriod(period, proofById.get(period.proofId?.toString() ?? ""), signPath),
    id: period._id.toString(),
    username: nameById.get(period.userId.toString()) ?? "a deleted user",
    accepted_at: period.createdAt.toISOString(),
    by: period.by,
  }));
}

const COLUMNS = [
  "username",
  "email",
  "plan",
  "months",
  "price_usd",
  "started_at",
  "ends_at",
  "revoked_at",
  "approved_at",
  "approved_by",
];

type Payment = BillingPeriodRecord & { user: [{ username: string; email: string }] };

/** Payments of existing users as CSV (RFC 4180), oldest first, written while it is sent. */
export async function* exportPayments(
  database: Database,
  filter: PaymentFilter,
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  const payments = database.billingPeriods
    .aggregate<Payment>([
      { $match: await matchingPayments(database, filter) },
      { $sort: { createdAt: 1, _id: 1 } },
      { $lookup: { from: "users", localField: "userId", foreignField: "_id", as: "user" } },
      { $match: { user: { $ne: [] } } },
      { $project: { ...PERIOD_FIELDS, "user.username": 1, "user.email": 1 } },
    ])
    .hint(PAYMENT_LIST_INDEX);
  for await (const { user, ...period } of payments.cursor<Payment>()) {
    const [{ username, email }] = user;
    const { plan, months, monthlyUsd, startedAt, endsAt, revokedAt, createdAt, by } = period;
    yield csvLine([
      username,
      email,
      plan,
      months,
      monthlyUsd * months,
      startedAt.toISOString(),
      endsAt.toISOString(),
      revokedAt?.toISOString() ?? "",
      createdAt.toISOString(),
      by,
    ]);
  }
}

const PERIOD_FIELDS = {
  plan: 1,
  months: 1,
  monthlyUsd: 1,
  startedAt: 1,
  endsAt: 1,
  revokedAt: 1,
  createdAt: 1,
  by: 1,
};
