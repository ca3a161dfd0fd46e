import type { UserCard } from "@shared/contract/account.ts";
import { PLANS, type PlanId, planById } from "@shared/contract/plans.ts";
import { type Approval, SUBSCRIPTION_MONTHS } from "@shared/contract/subscription.ts";
import { useState } from "react";
import { usePlans } from "../../../domain/plans.ts";
import { formatCount, formatPlural } from "../../../lib/format.ts";
import { SelectField } from "../../../ui/fields.tsx";
import { isWaiting } from "../admin-state.ts";
import { approveUser, renewSubscription } from "../api.ts";

/** What an approval or a renewal is for. Without a plan, an approval has no end. */
export interface Terms {
  plan: PlanId | "";
  months: number;
}

const { min, max, default: defaultMonths } = SUBSCRIPTION_MONTHS;

export const formatFee = (usd: number): string => `$${formatCount(usd)}`;

/** The plan that the proof names which has not been accepted. */
const paidPlan = (user: UserCard): PlanId | undefined =>
  isWaiting(user) || user.payment_proof?.rejection ? user.payment_proof?.plan : undefined;

export const defaultTerms = (user: UserCard): Terms => ({
  plan: paidPlan(user) ?? user.subscription?.plan ?? "",
  months: defaultMonths,
});

/** Terms that the administrator may change, prefilled from the proof or the present subscription. */
export function useTerms(user: UserCard) {
  const [changed, setChanged] = useState<Partial<Terms>>({});
  const terms: Terms = { ...defaultTerms(user), ...changed };
  return { terms, change: (change: Partial<Terms>) => setChanged({ ...changed, ...change }) };
}

export const approve = (user: UserCard, { plan, months }: Terms) =>
  approveUser(user.username, { ...(plan && { plan, months }), ...seenProof(user) });

/** What is accepted is the proof that is shown. */
const seenProof = ({ payment_proof: proof }: UserCard): Pick<Approval, "proof_id"> => ({
  proof_id: proof?.id ?? null,
});

/** What accepts a payment of the user: with a subscription, its renewal, otherwise an approval. */
export function acceptanceOf(user: UserCard, terms: Terms) {
  const { plan, months } = terms;
  if (user.subscription && plan) {
    const send = () => renewSubscription(user, { plan, months, ...seenProof(user) });
    return { label: "Renew", failure: `Failed to renew ${user.username}`, send };
  }
  const label = plan ? "Start subscription" : "Accept proof";
  return {
    label: user.approved ? label : "Approve",
    failure: `Failed to approve ${user.username}`,
    send: () => approve(user, terms),
  };
}

const planOptions = PLANS.map(({ id, name }) => ({ value: id, label: name }));
const noPlan = { value: "", label: "No plan" } as const;

const monthOptions = Array.from({ length: max - min + 1 }, (_, index) => ({
  value: String(min + index),
  label: formatPlural(min + index, "month"),
}));

interface TermsFieldsProps {
  user: UserCard;
  terms: Terms;
  onChange(change: Partial<Terms>): void;
}

/** Plan and months, with the fee that the proof of payment should show. */
export function TermsFields({ user, terms, onChange }: TermsFieldsProps) {
  const { plan, months } = terms;
  const { monthlyUsd } = planById(plan, usePlans());
  // The server takes the plan of the proof if it is given none, and a running subscription keeps its end.
  const needsPlan = paidPlan(user) ?? (user.approved && user.subscription);
  return (
    <>
      <SelectField
        compact
        label="Plan"
        value={plan}
        options={needsPlan ? planOptions : [noPlan, ...planOptions]}
        onChange={(plan) => onChange({ plan })}
      />
      {plan ? (
        <>
          <SelectField
            compact
            label="Months"
            value={String(months)}
            options={monthOptions}
            onChange={(months) => onChange({ months: Number(months) })}
          />
          <p className="figures text-sm whitespace-nowrap">
            <span className="text-ink-faint">Fee</span>{" "}
            <span className="font-semibold">{formatFee(monthlyUsd * months)}</span>
          </p>
        </>
      ) : (
        <p className="text-sm text-ink-muted">No end</p>
      )}
    </>
  );
}
