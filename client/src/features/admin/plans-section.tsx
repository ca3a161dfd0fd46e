import { Form } from "@base-ui/react/form";
import { planUpdateSchema } from "@shared/contract/plan-terms.ts";
import type { Plan } from "@shared/contract/plans.ts";
import { useQuery } from "@tanstack/react-query";
import { plansQuery, usePlans } from "../../domain/plans.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { refetch } from "../../lib/query-client.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { AdminSection } from "./admin-section.tsx";
import { runAndConfirm, savePlan } from "./api.ts";
import { ProtectedFormEnd, usePasswordQuestion } from "./protected-form.tsx";
import { useChanges } from "./use-changes.ts";

/** What each plan costs and contains. */
export function PlansSection() {
  const plans = usePlans();
  return (
    <AdminSection
      id="plans"
      title="Plans"
      lead="For payments that you accept from now on. Subscriptions that run keep their price and credits until they are renewed."
    >
      <QueryView
        query={useQuery(plansQuery)}
        failed="Failed to load the plans."
        skeleton={<Skeleton className="h-72 rounded-card" />}
      >
        {() => (
          <ul className="grid gap-4 lg:grid-cols-2">
            {plans.map((plan) => (
              <li key={plan.id}>
                <PlanForm plan={plan} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </AdminSection>
  );
}

type Terms = Record<"monthly_usd" | "image_credits" | "support", string>;

const termsOf = ({ monthlyUsd, imageCredits, support }: Plan): Terms => ({
  monthly_usd: String(monthlyUsd),
  image_credits: String(imageCredits),
  support,
});

function PlanForm({ plan }: { plan: Plan }) {
  const { changes, change, forgetSaved, discard } = useChanges<Terms>();
  const stored = termsOf(plan);
  const draft = { ...stored, ...changes };
  const { formProps, isPending, problem, reset } = useFormRequest(async (form) => {
    const numbers = {
      monthly_usd: Number(draft.monthly_usd),
      image_credits: Number(draft.image_credits),
    };
    await runAndConfirm(savePlan(plan.id, parseForm(planUpdateSchema, { ...form, ...numbers })));
    await refetch({ queryKey: plansQuery.queryKey });
    forgetSaved(changes);
    question.stop();
  });
  // A stolen session must not sell subscriptions for less.
  const question = usePasswordQuestion(problem);
  const field = (name: keyof Terms) => ({
    name,
    value: draft[name],
    onValueChange: (value: string) => change({ [name]: value }),
  });
  const number = { inputMode: "numeric", autoComplete: "off" } as const;
  return (
    <Card className="p-4 sm:p-5">
      <Form {...formProps} aria-label={`${plan.name} plan`} className="flex flex-col gap-4">
        <h3 className="font-semibold tracking-tight">{plan.name}</h3>
        <div className="grid grid-cols-2 items-start gap-4 sm:grid-cols-[1fr_1fr_2fr]">
          <TextField {...field("monthly_usd")} {...number} label="USD a month" />
          <TextField {...field("image_credits")} {...number} label="Image credits" />
          <div className="col-span-2 sm:col-span-1">
            <TextField {...field("support")} label="Support" maxLength={60} />
          </div>
        </div>
        <ProtectedFormEnd
          question={question}
          purpose="change the plan"
          failure="Failed to save the plan."
          problem={problem}
          action="Save plan"
          isChanged={JSON.stringify(draft) !== JSON.stringify(stored)}
          isPending={isPending}
          onDiscard={() => {
            reset();
            discard();
          }}
        />
      </Form>
    </Card>
  );
}
