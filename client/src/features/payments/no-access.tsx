import { planById } from "@shared/contract/plans.ts";
import type { Subscription } from "@shared/contract/subscription.ts";
import { Link, Navigate } from "react-router-dom";
import { useMe, waitingProof } from "../../domain/me.ts";
import { Alert } from "../../ui/alert.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { revokedAt, useOwnSubscription } from "./api.ts";

/** In place of a screen that needs approval: why there is no access any more. Without a subscription, the dashboard. */
export function NoAccess() {
  const me = useMe();
  if (!me?.subscription) return <Navigate to="/dashboard" replace />;
  return (
    <NarrowPage title="Subscription ended">
      <div role="status" className="flex flex-col gap-3 text-ink-muted text-pretty">
        <Reason subscription={me.subscription} />
        <p>Your signals are kept. You can see them again as soon as the subscription is renewed.</p>
      </div>
      {waitingProof(me) && (
        <Alert tone="info" title="Proof under review">
          This page opens automatically once an administrator accepts your payment proof.
        </Alert>
      )}
      <div className="flex flex-col gap-3">
        <Link to={`/payment?plan=${me.subscription.plan}`} className={buttonClass({ size: "lg" })}>
          Renew subscription
        </Link>
        <Link to="/dashboard" className={buttonClass({ variant: "secondary", size: "lg" })}>
          Go to the dashboard
        </Link>
      </div>
    </NarrowPage>
  );
}

function Reason({ subscription }: { subscription: Subscription }) {
  const { data, isPending } = useOwnSubscription();
  const revoked = revokedAt(data);
  const { name } = planById(subscription.plan);
  // After a refused request, the account is read again.
  if (isPending || subscription.status !== "ended") return <Skeleton className="h-12 w-full" />;
  return revoked ? (
    <p>
      An administrator ended your {name} subscription on <LocalTime iso={revoked} focusable />.
    </p>
  ) : (
    <p>
      Your {name} subscription ended on <LocalTime iso={subscription.ends_at} focusable />. The
      grace period is over.
    </p>
  );
}
