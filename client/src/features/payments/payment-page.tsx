import { type PaymentDetails, paymentDetailsSchema } from "@shared/contract/payment.ts";
import { useQuery } from "@tanstack/react-query";
import { Wallet } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { methodLabels, paymentMessages as texts } from "./messages.ts";
import { type Plan, planById } from "./plans.ts";

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
    <Alert tone="warning" title={texts.important}>
      <p>{texts.proof}</p>
      <Link to="/dashboard" className={`${buttonClass({ variant: "secondary" })} mt-3`}>
        {texts.toDashboard}
      </Link>
    </Alert>
  );
}

const gridClass = "grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2";

/** The methods that the operator has set up. */
export function PaymentMethods() {
  const { data, isError, refetch } = useQuery({
    queryKey: ["payment-details"],
    queryFn: ({ signal }) => readPaymentDetails(signal),
  });
  if (data) return <MethodCards methods={offeredMethods(data)} />;
  if (isError) return <LoadFailure onAgain={() => void refetch()} />;
  return (
    <div role="status" aria-label={texts.loading} className={gridClass}>
      <Skeleton className="h-40 rounded-card" />
      <Skeleton className="h-40 rounded-card" />
    </div>
  );
}

function MethodCards({ methods }: { methods: PaymentMethod[] }) {
  if (methods.length === 0) return <NoMethods />;
  return (
    <ul className={gridClass}>
      {methods.map(({ key, label, details }) => (
        <li key={key}>
          <Card className="flex h-full flex-col gap-3 p-5 sm:p-6">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <h3 className="font-semibold tracking-tight">{label}</h3>
              <CopyButton text={details} name={label} />
            </div>
            <p className="leading-relaxed break-words whitespace-pre-line text-ink-muted">
              {details}
            </p>
          </Card>
        </li>
      ))}
    </ul>
  );
}

function LoadFailure({ onAgain }: { onAgain(): void }) {
  return (
    <Alert tone="error" role="alert">
      <p className="text-ink">{texts.failed}</p>
      <div className="mt-3 flex flex-wrap gap-3">
        <Button variant="secondary" onClick={onAgain}>
          {texts.tryAgain}
        </Button>
        <ContactLink />
      </div>
    </Alert>
  );
}

function NoMethods() {
  return (
    <div className="flex min-h-56 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <Wallet aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{texts.emptyTitle}</p>
      <p className="text-ink-muted text-pretty">{texts.empty}</p>
      <div className="mt-2">
        <ContactLink />
      </div>
    </div>
  );
}

const ContactLink = () => (
  <Link to="/contact" className={buttonClass({ variant: "secondary" })}>
    {texts.contact}
  </Link>
);

export interface PaymentMethod {
  key: string;
  label: string;
  /** Free text; line breaks count. */
  details: string;
}

/** The methods that somebody can pay by, in the product's order: those with a text that is not blank. */
export const offeredMethods = (details: PaymentDetails): PaymentMethod[] =>
  paymentDetailsSchema
    .keyof()
    .options.map((key) => ({ key, label: methodLabels[key], details: details[key].trim() }))
    .filter((method) => method.details !== "");

export const readPaymentDetails = (signal: AbortSignal): Promise<PaymentDetails> =>
  api({ path: "/payment-details", schema: paymentDetailsSchema, signal });
