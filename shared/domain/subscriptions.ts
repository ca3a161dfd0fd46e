import { DAY_MS } from "@shared/contract/constants.ts";
import { planById } from "@shared/contract/plans.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { ClientSession, Types } from "mongoose";
import { bulkUpdate, type Database } from "../database/database.ts";
import type { BillingPeriodRecord, SubscriptionRecord } from "../database/models/payment.ts";
import type { UserRecord } from "../database/models/user.ts";
import { changeCredits } from "./credits.ts";
import { addSubscriptionEmail } from "./subscription-email.ts";
import { dueSteps, monthStart, type SubscriptionStep } from "./subscription-schedule.ts";
import {
  type AccountAudience,
  addAccountUpdatedEvents,
  findProofsOf,
  type ShownProof,
} from "./user-card.ts";

export interface SettledUser {
  /** After it. */
  user: UserRecord;
  /** What was due. */
  steps: readonly SubscriptionStep[];
}

/**
 * Does what is due of users' subscriptions, each step with its event and email, in the caller's transaction: grants credits,
 * sends reminders, starts grace periods, ends subscriptions. Called again at the same time, or late, it does nothing twice.
 * @param users as the transaction reads them
 * @returns those of whom something was due
 */
export async function settleSubscriptions(
  database: Database,
  uow: UnitOfWork,
  users: readonly UserRecord[],
  audience?: AccountAudience,
): Promise<SettledUser[]> {
  const { session, at } = uow;
  const due = users.flatMap((user) => {
    const { subscription } = user;
    if (!subscription?.nextDueAt || subscription.nextDueAt > at) return [];
    const { steps, after } = dueSteps(subscription, at);
    const change = { subscription: after, ...(after.status === "ended" && { approved: false }) };
    return [{ user, steps, change, nextDueAt: subscription.nextDueAt }];
  });
  if (due.length === 0) return [];
  const updates = due.map(({ user: { _id }, change, nextDueAt }) => ({
    updateOne: {
      filter: { _id, "subscription.nextDueAt": nextDueAt },
      update: { $set: change },
    },
  }));
  await bulkUpdate(database.users, updates, session);
  const ids = due.map(({ user }) => user._id);
  const proofs = await findProofsOf(database, ids, session);
  const settled: SettledUser[] = [];
  for (const { user, steps, change } of due) {
    const proof = proofs.get(user._id.toString()) ?? null;
    let current: UserRecord = { ...user, ...change };
    for (const step of steps) {
      current = await takeStep(database, uow, { user: current, step, proof }, audience);
    }
    settled.push({ user: current, steps });
  }
  return settled;
}

/** As `settleSubscriptions`. @returns the user after it */
export async function settleSubscription(
  database: Database,
  uow: UnitOfWork,
  user: UserRecord,
  audience?: AccountAudience,
): Promise<UserRecord> {
  const [settled] = await settleSubscriptions(database, uow, [user], audience);
  return settled?.user ?? user;
}

/** @returns the user after the step */
async function takeStep(
  database: Database,
  uow: UnitOfWork,
  { user, step, proof }: { user: UserRecord; step: SubscriptionStep; proof: ShownProof | null },
  audience: AccountAudience | undefined,
): Promise<UserRecord> {
  const { subscription } = user;
  if (!subscription) return user;
  switch (step.kind) {
    case "credits":
      return grantMonth(database, uow, { user, subscription, month: step.month }, audience);
    case "reminder":
      uow.addEvent(userStream(user._id), "subscription:expiring", {
        plan: subscription.plan,
        ends_at: subscription.endsAt.toISOString(),
        days_left: Math.ceil((subscription.endsAt.getTime() - uow.at.getTime()) / DAY_MS),
      });
      addSubscriptionEmail(database, uow, user, "subscription-expiring");
      return user;
    case "grace":
    case "ended": {
      const reason = `subscription-${step.kind}` as const;
      await addAccountUpdatedEvents(database, uow, { user, reason, proof, audience });
      addSubscriptionEmail(database, uow, user, reason);
      return user;
    }
  }
}

async function grantMonth(
  database: Database,
  uow: UnitOfWork,
  change: { user: UserRecord; subscription: SubscriptionRecord; month: number },
  audience: AccountAudience | undefined,
): Promise<UserRecord> {
  const { user, subscription, month } = change;
  const { _id: userId } = user;
  const search = { userId, subscription, month };
  const period = await periodOfMonth(database, search, uow.session);
  const plan = period?.plan ?? subscription.plan;
  const startsAt = monthStart(subscription, month);
  const grant = {
    userId,
    kind: "grant",
    amount: period?.imageCredits ?? planById(plan).imageCredits,
    by: "system",
    why: `${planById(plan).name} plan, month from ${startsAt.toISOString().slice(0, 10)}.`,
    period: startsAt,
  } as const;
  const after = await changeCredits(database, uow, grant, audience);
  return after ?? user;
}

/** The billing period that a month of a subscription belongs to. */
export async function periodOfMonth(
  { billingPeriods }: Database,
  search: {
    userId: Types.ObjectId;
    subscription: Pick<SubscriptionRecord, "startedAt">;
    month: number;
  },
  session: ClientSession | null = null,
): Promise<BillingPeriodRecord | null> {
  const { userId, subscription, month } = search;
  return billingPeriods
    .findOne({ userId, subscribedAt: subscription.startedAt, firstMonth: { $lte: month } })
    .sort({ firstMonth: -1 })
    .session(session)
    .lean();
}
