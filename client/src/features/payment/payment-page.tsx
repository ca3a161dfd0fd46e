import { type Plan, planById } from "@shared/contract/plans.ts";
import { Link, useSearchParams } from "react-router-dom";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { PaymentMethods } from "./payment-methods.tsx";
import { paymentTexts as texts } from "./texts.ts";

/** What the chosen plan costs, how to pay it, and what to do then. */
export function PaymentPage() {
  const [parameters] = useSearchParams();
  usePageDescription(texts.description);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <div className="flex flex-col gap-6 lg:sticky lg:top-22">
          <FeeCard plan={planById(parameters.get("plan"))} />
          <ProofNote />
        </div>
        <section aria-labelledby="methods" className="flex flex-col gap-4">
          <h2 id="methods" className="text-lg font-semibold tracking-tight">
            {texts.methodsTitle}
          </h2>
          <PaymentMethods />
        </section>
      </div>
    </div>
  );
}

function FeeCard({ plan }: { plan: Plan }) {
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">{texts.plan(plan)}</h2>
      <dl>
        <dt className="text-sm text-ink-faint">{texts.fee}</dt>
        <dd className="figures mt-1 flex items-baseline gap-2">
          <span className="text-4xl font-semibold tracking-tight">${plan.monthlyUsd}</span>
          <span className="text-sm text-ink-muted">{texts.perMonth}</span>
        </dd>
      </dl>
      <p className="text-sm text-ink-muted">
        {texts.credits(plan.imageCredits)} · {plan.support}
      </p>
      <p className="text-sm">
        <TextLink to="/pricing">{texts.otherPlan}</TextLink>
      </p>
    </Card>
  );
}

function ProofNote() {
  return (
    <Notice tone="warning" title={texts.important}>
      <p>{texts.proof}</p>
      <Link to="/dashboard" className={`${buttonClass({ variant: "secondary" })} mt-3`}>
        {texts.toDashboard}
      </Link>
    </Notice>
  );
}
