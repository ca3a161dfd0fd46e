import { addMonthsUtc } from "@shared/contract/calendar-months.ts";
import { type Plan, planById } from "@shared/contract/plans.ts";
import type { Subscription } from "@shared/contract/subscription.ts";
import { formatDay } from "../../lib/format.ts";

interface RenewalNoteProps {
  subscription: Subscription;
  /** The one to be paid for. */
  plan: Plan;
}

/** What a proof that is sent during a subscription does. */
export function RenewalNote({ subscription, plan }: RenewalNoteProps) {
  const { status, ends_at, grace_until } = subscription;
  const current = planById(subscription.plan);
  const end = formatDay(ends_at);
  return (
    <>
      {status === "grace" && grace_until
        ? `Your ${current.name} subscription ended on ${end}; you keep your access until ${formatDay(grace_until)}. `
        : `Your ${current.name} subscription runs until ${end}. `}
      A proof that you send now renews it: one month of the {plan.name} plan extends it to{" "}
      {formatDay(endAfterNextMonth(subscription))}.
      {plan !== current && ` The ${plan.name} plan starts on ${end}.`}
    </>
  );
}

/** A month is counted from the first day of the subscription: one from 31 January ends on 31 March after two. */
function endAfterNextMonth({ started_at, ends_at }: Subscription): string {
  const start = new Date(started_at);
  const end = new Date(ends_at);
  const years = end.getUTCFullYear() - start.getUTCFullYear();
  const months = years * 12 + end.getUTCMonth() - start.getUTCMonth();
  return addMonthsUtc(start, months + 1).toISOString();
}
