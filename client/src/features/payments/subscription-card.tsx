import type { Me } from "@shared/contract/account.ts";
import { DAY_MS, MINUTE_MS, PROOF_ANCHOR } from "@shared/contract/constants.ts";
import { planById } from "@shared/contract/plans.ts";
import type {
  BillingPeriod,
  OwnSubscription,
  Subscription,
} from "@shared/contract/subscription.ts";
import { RefreshCw, Upload } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "react-router-dom";
import { proofRejection, waitingProof } from "../../domain/me.ts";
import { usePlans } from "../../domain/plans.ts";
import {
  formatCount,
  formatDateTime,
  formatDay,
  formatPlural,
  formatUtc,
} from "../../lib/format.ts";
import { useNow } from "../../lib/use-now.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ImageDialog } from "../../ui/dialog.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { revokedAt, useOwnSubscription } from "./api.ts";
import { PaymentProof } from "./payment-proof.tsx";

interface SubscriptionCardProps {
  account: Me;
  approved: boolean;
}

export function SubscriptionCard({ account, approved }: SubscriptionCardProps) {
  const { subscription } = account;
  const isUnlimited = approved && (!subscription || subscription.status === "ended");
  return (
    <Card className="flex flex-col gap-6 p-6 sm:p-8">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-xl font-semibold tracking-tight">Subscription</h2>
        <StatusBadge status={isUnlimited || !subscription ? "unlimited" : subscription.status} />
      </header>
      {isUnlimited || !subscription ? (
        <p className="text-ink-muted text-pretty">
          Your approval has no end date. <TextLink to="/pricing">See plans and pricing</TextLink>
        </p>
      ) : (
        <CurrentSubscription subscription={subscription} />
      )}
      <Renewal account={account} approved={approved} />
      <section aria-labelledby="payments-title" className="flex flex-col gap-3">
        <h3 id="payments-title" className="font-semibold tracking-tight">
          Payments
        </h3>
        {/* Without a subscription, there has been no payment. */}
        {subscription ? <Payments /> : <p className="text-sm text-ink-muted">No payments yet.</p>}
      </section>
    </Card>
  );
}

const statuses = {
  active: { label: "Active", look: "bg-buy/15 text-buy" },
  grace: { label: "Grace period", look: "bg-wait-glow/15 text-wait" },
  ended: { label: "Ended", look: "bg-danger/12 text-danger" },
  unlimited: { label: "No end date", look: "bg-buy/15 text-buy" },
} as const;

function StatusBadge({ status }: { status: keyof typeof statuses }) {
  const { label, look } = statuses[status];
  return <p className={`rounded-lg px-2.5 py-1 text-sm font-medium ${look}`}>{label}</p>;
}

function CurrentSubscription({ subscription }: { subscription: Subscription }) {
  const { data } = useOwnSubscription();
  const { plan: planId, status, ends_at, grace_until } = subscription;
  const plan = planById(planId, usePlans());
  const isEnded = status === "ended";
  return (
    <>
      {status === "grace" && grace_until && (
        <Alert tone="warning" title="Your subscription has ended">
          You keep your access until <BothTimes iso={grace_until} />. Renew it now to stay
          subscribed.
        </Alert>
      )}
      {!isEnded && <DaysLeft subscription={subscription} periods={data?.periods} />}
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <Fact label="Plan">
          {plan.name}, ${formatCount(plan.monthlyUsd)} per month
        </Fact>
        <Fact label={status === "active" ? "Ends" : "Ended"}>
          <BothTimes iso={revokedAt(data) ?? ends_at} />
          {revokedAt(data) && <Detail>An administrator ended it early.</Detail>}
        </Fact>
        {!isEnded && (
          <Fact label="Next image credits">
            <NextCredits own={data} endsAt={ends_at} />
          </Fact>
        )}
      </dl>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="figures mt-0.5">{children}</dd>
    </div>
  );
}

const Detail = ({ children }: { children: ReactNode }) => (
  <span className="block text-sm text-ink-muted text-pretty">{children}</span>
);

/** In the reader's time zone, and in UTC if that differs. */
function BothTimes({ iso }: { iso: string }) {
  const local = formatDateTime(iso);
  const utc = formatUtc(iso);
  return <time dateTime={iso}>{utc === `${local} UTC` ? utc : `${local} (${utc})`}</time>;
}

function NextCredits({ own, endsAt }: { own: OwnSubscription | undefined; endsAt: string }) {
  if (!own) return <Skeleton className="h-6 w-40" />;
  const { next_credits: next } = own;
  return next ? (
    <>
      {next.credits} on {formatDay(next.at)}
      <Detail>Each month until {formatDay(endsAt)}. Unused credits stay.</Detail>
    </>
  ) : (
    <>
      With your next renewal
      <Detail>Those of all paid months are granted. Unused credits stay.</Detail>
    </>
  );
}

interface DaysLeftProps {
  subscription: Subscription;
  periods: readonly BillingPeriod[] | undefined;
}

/** Days until the end of the paid time, or of the access, as a part of the time since the current payment's start. */
function DaysLeft({ subscription, periods = [] }: DaysLeftProps) {
  const now = useNow(true, MINUTE_MS);
  const { status, started_at, ends_at, grace_until } = subscription;
  const isGrace = status === "grace" && grace_until !== null;
  const current = periods.find((period) => Date.parse(period.started_at) <= now);
  const start = Date.parse(isGrace ? ends_at : (current?.started_at ?? started_at));
  const end = Date.parse(isGrace ? grace_until : ends_at);
  const left = Math.max(0, Math.ceil((end - now) / DAY_MS));
  const total = Math.max(left, Math.round((end - start) / DAY_MS));
  const text = `${formatPlural(left, "day")} ${isGrace ? "of access " : ""}left`;
  const color = isGrace || left <= 7 ? "bg-wait" : "bg-accent";
  return (
    <div className="flex flex-col gap-2">
      <p className="figures text-lg font-semibold tracking-tight">{text}</p>
      <div
        role="progressbar"
        aria-label="Days left"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={left}
        aria-valuetext={`${text} of ${total}`}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div
          className={`h-full rounded-full ${color}`}
          style={{ width: `${total > 0 ? (left / total) * 100 : 0}%` }}
        />
      </div>
    </div>
  );
}

/**
 * How to renew. The form for the proof opens on request and for links to it; a proof that awaits review or was rejected is always shown.
 * Without approval, the dashboard shows both by itself.
 */
function Renewal({ account, approved }: SubscriptionCardProps) {
  const { subscription } = account;
  const { hash } = useLocation();
  const [opened, setOpened] = useState(false);
  const isAsked = waitingProof(account) !== null || proofRejection(account) !== null;
  const showsProof = opened || isAsked || hash === `#${PROOF_ANCHOR}`;
  const variant = subscription?.status === "active" ? "secondary" : "primary";
  return (
    <>
      <div className="flex flex-wrap gap-3 empty:hidden">
        {subscription && (
          <Link to={`/payment?plan=${subscription.plan}`} className={buttonClass({ variant })}>
            <RefreshCw aria-hidden className="size-4" />
            Renew subscription
          </Link>
        )}
        {approved && !showsProof && (
          <Button Icon={Upload} variant="secondary" onClick={() => setOpened(true)}>
            Submit payment proof
          </Button>
        )}
      </div>
      {approved && showsProof && (
        <div className="border-t border-line pt-6">
          <PaymentProof />
        </div>
      )}
    </>
  );
}

const SHORT_LIST = 3;

function Payments() {
  const query = useOwnSubscription();
  const [showsAll, setShowsAll] = useState(false);
  return (
    <QueryView
      query={query}
      failed="We couldn't load your payments."
      skeleton={<Skeleton className="h-18 w-full rounded-control" />}
    >
      {({ periods }) => (
        <>
          <ol className="divide-y divide-line">
            {(showsAll ? periods : periods.slice(0, SHORT_LIST)).map((period) => (
              <li key={period.started_at} className="flex items-center gap-4 py-3">
                <Payment period={period} onExpired={() => void query.refetch()} />
              </li>
            ))}
          </ol>
          {!showsAll && periods.length > SHORT_LIST && (
            <Button
              variant="secondary"
              size="sm"
              className="self-start"
              onClick={() => setShowsAll(true)}
            >
              Show all {periods.length} payments
            </Button>
          )}
        </>
      )}
    </QueryView>
  );
}

interface PaymentProps {
  period: BillingPeriod;
  onExpired(): void;
}

function Payment({ period, onExpired }: PaymentProps) {
  const { plan, months, price_usd, started_at, ends_at, revoked_at, proof } = period;
  return (
    <>
      <div className="figures min-w-0 flex-1">
        <p>
          {planById(plan).name}, {formatPlural(months, "month")}
          <span className="ml-2 text-ink-muted">${price_usd}</span>
        </p>
        <p className="text-sm text-ink-muted">
          {formatDay(started_at)} – {formatDay(ends_at)}
        </p>
        {revoked_at && (
          <p className="text-sm text-danger">Ended early on {formatDay(revoked_at)}</p>
        )}
      </div>
      {proof ? (
        <ImageDialog
          src={proof.url}
          title={`Payment proof of ${proof.sender_name}`}
          onExpired={onExpired}
          className="size-12"
        />
      ) : (
        <p className="shrink-0 text-sm text-ink-faint">No proof</p>
      )}
    </>
  );
}
