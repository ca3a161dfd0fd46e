import { DAY_MS } from "@shared/contract/constants.ts";
import type { PlanId } from "@shared/contract/plans.ts";
import { addMonthsUtc } from "@shared/contract/plans.ts";
import { REMINDER_DAYS, type SubscriptionStatus } from "@shared/contract/subscription.ts";
import type { SubscriptionRecord } from "../database/models/payment.ts";

const addDays = (time: Date, days: number): Date => new Date(time.getTime() + days * DAY_MS);

/** What is due at a time: the credits of a month, a reminder, or a change of the status. */
export type SubscriptionStep = { dueAt: Date } & (
  | { kind: "credits"; month: number }
  | { kind: "reminder"; days: number }
  | { kind: "grace" }
  | { kind: "ended" }
);

interface Payment {
  plan: PlanId;
  months: number;
  /** Length of the grace period after the new end. */
  graceDays: number;
}

/** A subscription that starts now. The credits of its first month are due. */
export const newSubscription = (startedAt: Date, payment: Payment): SubscriptionRecord =>
  extendSubscription(
    {
      plan: payment.plan,
      status: "active",
      startedAt,
      endsAt: startedAt,
      months: 0,
      creditedMonths: 0,
      accessEndsAt: startedAt,
      remindedDays: null,
      nextDueAt: null,
    },
    payment,
  );

/** A subscription that has not ended, with further months after its end. */
export function extendSubscription(
  subscription: SubscriptionRecord,
  { plan, months: added, graceDays }: Payment,
): SubscriptionRecord {
  const months = subscription.months + added;
  const endsAt = addMonthsUtc(subscription.startedAt, months);
  return withNextDue({
    ...subscription,
    plan,
    months,
    endsAt,
    accessEndsAt: addDays(endsAt, graceDays),
    status: "active",
    remindedDays: null,
  });
}

/** A subscription that an administrator ends now. */
export const revokeSubscription = (
  subscription: SubscriptionRecord,
  at: Date,
): SubscriptionRecord => ({
  ...subscription,
  status: "ended",
  endsAt: subscription.endsAt < at ? subscription.endsAt : at,
  accessEndsAt: at,
  nextDueAt: null,
});

/** The status at a time, whether or not it was announced. */
export function statusAt(
  { endsAt, accessEndsAt }: Pick<SubscriptionRecord, "endsAt" | "accessEndsAt">,
  at: Date,
): SubscriptionStatus {
  if (at < endsAt) return "active";
  return at < accessEndsAt ? "grace" : "ended";
}

/**
 * What is due at a time, in the order in which it was due. After a delay, all credits are left, the newest reminder unless
 * the subscription has ended since, and of several changes of the status the last.
 */
export function dueSteps(
  subscription: SubscriptionRecord,
  at: Date,
): { steps: SubscriptionStep[]; after: SubscriptionRecord } {
  const due: SubscriptionStep[] = [];
  let after = subscription;
  let step = nextStep(after);
  while (step && step.dueAt <= at) {
    due.push(step);
    after = applyStep(after, step);
    step = nextStep(after);
  }
  const lastReminder = due.findLast(isReminder);
  const lastChange = due.findLast(isChange);
  const steps = due.filter(
    (it) =>
      it.kind === "credits" ||
      it === lastChange ||
      // After the end, a reminder of it is of no use.
      (it === lastReminder && at < after.endsAt),
  );
  return { steps, after: withNextDue(after) };
}

const isReminder = ({ kind }: SubscriptionStep): boolean => kind === "reminder";
const isChange = ({ kind }: SubscriptionStep): boolean => kind === "grace" || kind === "ended";

const withNextDue = (subscription: SubscriptionRecord): SubscriptionRecord => ({
  ...subscription,
  nextDueAt: nextStep(subscription)?.dueAt ?? null,
});

/** Start of a month of a subscription, counted from 0. */
export const monthStart = (
  { startedAt }: Pick<SubscriptionRecord, "startedAt">,
  month: number,
): Date => addMonthsUtc(startedAt, month);

function nextStep(subscription: SubscriptionRecord): SubscriptionStep | undefined {
  const { status, months, creditedMonths: month, endsAt, remindedDays } = subscription;
  if (status === "ended") return undefined;
  const days = REMINDER_DAYS.find((it) => it < (remindedDays ?? Number.POSITIVE_INFINITY));
  const candidates: SubscriptionStep[] = [
    ...(month < months
      ? [{ kind: "credits" as const, month, dueAt: monthStart(subscription, month) }]
      : []),
    ...(days ? [{ kind: "reminder" as const, days, dueAt: addDays(endsAt, -days) }] : []),
    status === "active"
      ? { kind: "grace", dueAt: endsAt }
      : { kind: "ended", dueAt: subscription.accessEndsAt },
  ];
  // The sort is stable: at the same time, credits come first and a change of the status last.
  return candidates.sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime())[0];
}

function applyStep(subscription: SubscriptionRecord, step: SubscriptionStep): SubscriptionRecord {
  switch (step.kind) {
    case "credits":
      return { ...subscription, creditedMonths: step.month + 1 };
    case "reminder":
      return { ...subscription, remindedDays: step.days };
    case "grace":
    case "ended":
      return { ...subscription, status: step.kind };
  }
}
