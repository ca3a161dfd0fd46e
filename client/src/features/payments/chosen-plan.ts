import { addMonthsUtc, type Plan, type PlanId, planById } from "@shared/contract/plans.ts";
import { planIdSchema, type Subscription } from "@shared/contract/subscription.ts";
import { formatDay } from "../../lib/format.ts";
import { browserStorage } from "../../lib/session.ts";

const KEY = "chosen-plan";
const storage = browserStorage();

/** The plan chosen on the payment page. The browser keeps it, because the proof is sent later, after signing in. */
export const readChosenPlan = (): PlanId | undefined =>
  planIdSchema.safeParse(storage.getItem(KEY)).data;

export function choosePlan(id: string | null): void {
  const plan = planIdSchema.safeParse(id).data;
  if (plan) storage.setItem(KEY, plan);
}

/** Once it is sent with a proof. */
export const forgetChosenPlan = (): void => storage.removeItem(KEY);

/** What a proof for this plan does that is sent during a subscription. */
export function renewalNote(subscription: Subscription, plan: Plan): string {
  const { status, ends_at, grace_until } = subscription;
  const current = planById(subscription.plan);
  const end = formatDay(ends_at);
  const state =
    status === "grace" && grace_until
      ? `ended on ${end}; you keep your access until ${formatDay(grace_until)}`
      : `runs until ${end}`;
  const start = plan.id === current.id ? "" : ` The ${plan.name} plan starts on ${end}.`;
  return `Your ${current.name} subscription ${state}. A proof that you send now renews it: one month of the ${plan.name} plan extends it to ${formatDay(endAfterNextMonth(subscription))}.${start}`;
}

/** A month is counted from the first day of the subscription: one from 31 January ends on 31 March after two. */
function endAfterNextMonth({ started_at, ends_at }: Subscription): string {
  const start = new Date(started_at);
  const end = new Date(ends_at);
  const years = end.getUTCFullYear() - start.getUTCFullYear();
  const months = years * 12 + end.getUTCMonth() - start.getUTCMonth();
  return addMonthsUtc(start, months + 1).toISOString();
}
