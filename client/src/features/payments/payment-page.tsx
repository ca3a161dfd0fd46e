import { PROOF_ANCHOR } from "@shared/contract/constants.ts";
import {
  type OfferedPayments,
  PAYMENT_METHODS,
  paymentDetailsSchema,
} from "@shared/contract/payment.ts";
import { type Plan, planById } from "@shared/contract/plans.ts";
import { Wallet } from "lucide-react";
import { Fragment, useEffect } from "react";
import { Link, useSearchParams } from "react-router-dom";
import { useMe } from "../../domain/me.ts";
import { usePlans } from "../../domain/plans.ts";
import { formatCount } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass, linkClass, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/load-states.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { useOfferedPayments } from "./api.ts";
import { choosePlan, renewalNote } from "./chosen-plan.ts";
import { useReadsImages } from "./reads-images.ts";

export function PaymentPage() {
  const [parameters] = useSearchParams();
  const planId = parameters.get("plan");
  const plan = planById(planId, usePlans());
  const subscription = useMe()?.subscription;
  // Below the methods, which would move it.
  const { isPending } = useOfferedPayments();
  useEffect(() => choosePlan(planId), [planId]);
  usePageDescription("How to pay for your AI Trading Bot subscription.");
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <PageHeading title="Payment">
        Pay <Fee plan={plan} /> with one of the methods below, then submit your proof of payment.
      </PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <div
          className={`flex flex-col gap-6 max-lg:order-last lg:sticky lg:top-22 ${isPending ? "max-lg:hidden" : ""}`}
        >
          <FeeCard plan={plan} />
          <Alert tone="warning" title="Important">
            <p>
              After paying, submit your payment proof on the dashboard: the sender's name and a
              screenshot or photo of the payment. An administrator reviews it and approves your
              account.
            </p>
            {subscription && subscription.status !== "ended" && (
              <p className="mt-2 text-ink">{renewalNote(subscription, plan)}</p>
            )}
            <Link
              to={`/dashboard#${PROOF_ANCHOR}`}
              className={`${buttonClass({ variant: "secondary" })} mt-3`}
            >
              Submit proof on the dashboard
            </Link>
          </Alert>
        </div>
        <section aria-labelledby="methods" className="flex flex-col gap-4">
          <h2 id="methods" className="text-lg font-semibold tracking-tight">
            Payment methods
          </h2>
          <PaymentMethods />
        </section>
      </div>
    </div>
  );
}

const Fee = ({ plan }: { plan: Plan }) => (
  <span className="font-medium text-ink">
    the {plan.name} plan's ${formatCount(plan.monthlyUsd)}
  </span>
);

function FeeCard({ plan }: { plan: Plan }) {
  const readsImages = useReadsImages();
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">{plan.name} plan</h2>
      <dl>
        <dt className="text-sm text-ink-faint">Subscription fee</dt>
        <dd className="figures mt-1 flex items-baseline gap-2">
          <span className="text-4xl font-semibold tracking-tight">
            ${formatCount(plan.monthlyUsd)}
          </span>
          <span className="text-sm text-ink-muted">per month</span>
        </dd>
      </dl>
      <p className="text-sm text-ink-muted">
        {formatCount(plan.imageCredits)} image credits {readsImages ? "included" : "(not in use)"} ·{" "}
        {plan.support}
      </p>
      <p className="text-sm">
        <TextLink to="/pricing">Choose another plan</TextLink>
      </p>
    </Card>
  );
}

const gridClass = "grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2";

function PaymentMethods() {
  const { data, isError, refetch } = useOfferedPayments();
  if (data) return <MethodCards methods={offeredMethods(data)} />;
  if (isError) {
    return (
      <Alert tone="error" role="alert">
        <p className="text-ink">Failed to load payment details. Please contact support.</p>
        <div className="mt-3 flex flex-wrap gap-3">
          <Button variant="secondary" onClick={() => void refetch()}>
            Try again
          </Button>
          <ContactLink />
        </div>
      </Alert>
    );
  }
  return (
    <div role="status" aria-label="Loading the payment methods" className={gridClass}>
      <Skeleton className="h-40 rounded-card" count={2} />
    </div>
  );
}

function MethodCards({ methods }: { methods: ReturnType<typeof offeredMethods> }) {
  if (methods.length === 0) return <NoMethods />;
  return (
    <ul className={gridClass}>
      {methods.map(({ key, label, details, note }) => (
        <li key={key}>
          <Card className="flex h-full flex-col gap-3 p-5 sm:p-6">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <h3 className="font-semibold tracking-tight">{label}</h3>
              <CopyButton text={details} name={label} />
            </div>
            <Details text={details} name={label} />
            {note && <p className="text-sm text-ink-faint text-pretty">{note}</p>}
          </Card>
        </li>
      ))}
    </ul>
  );
}

/** Each line on its own, as forms of banks ask for them. */
function Details({ text, name }: { text: string; name: string }) {
  const lines = text.split("\n");
  return (
    <p className="flex flex-col leading-relaxed text-ink-muted">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity of their own
        <Fragment key={index}>
          {index > 0 && "\n"}
          <span className="flex min-h-6 items-start justify-between gap-3">
            <span className="min-w-0 break-words">{withLinks(line)}</span>
            {lines.length > 1 && line.trim() !== "" && (
              <CopyButton text={line.trim()} name={`${name}, line ${index + 1}`} isIcon />
            )}
          </span>
        </Fragment>
      ))}
    </p>
  );
}

const ADDRESS = /(https:\/\/\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/;

/** The line, with links to the addresses in it. */
const withLinks = (line: string) =>
  line.split(ADDRESS).map((part, index) => {
    // Every second part is one that the expression has found.
    if (index % 2 === 0) return part;
    const href = part.startsWith("https://") ? part : `mailto:${part}`;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: an address may be there twice
      <a key={index} href={href} target="_blank" rel="noreferrer" className={linkClass}>
        {part}
      </a>
    );
  });

function NoMethods() {
  return (
    <EmptyState
      Icon={Wallet}
      title="No payment methods yet"
      text="Contact support to find out how to pay."
      className="min-h-56"
    >
      <div className="mt-2">
        <ContactLink />
      </div>
    </EmptyState>
  );
}

const ContactLink = () => (
  <Link to="/contact" className={buttonClass({ variant: "secondary" })}>
    Contact support
  </Link>
);

interface Method {
  key: string;
  label: string;
  details: string;
  note?: string;
}

export function offeredMethods({ usdt = [], ...details }: OfferedPayments): Method[] {
  const written = paymentDetailsSchema
    .keyof()
    .options.map((key) => ({ key, label: PAYMENT_METHODS[key], details: details[key].trim() }))
    .filter((method) => method.details !== "");
  const wallets = usdt.map(({ network, address }) => ({
    key: network,
    label: `USDT on ${network}`,
    details: address,
    note: `Send only USDT, and only on ${network}. Keep the transaction hash for your proof.`,
  }));
  return [...written, ...wallets];
}
