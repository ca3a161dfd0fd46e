import { PLANS } from "@shared/contract/plans.ts";
import type { SubscriptionSummary } from "@shared/contract/subscription.ts";
import { formatCount } from "../../lib/format.ts";
import { TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { AdminSection, Metric } from "./admin-section.tsx";
import { useSubscriptionSummary } from "./api.ts";
import { formatFee } from "./users/subscription-terms.tsx";
import { TimeSince } from "./users/user-proof.tsx";

export function SubscriptionsSection() {
  return (
    <AdminSection id="subscriptions" title="Subscriptions">
      <QueryView
        query={useSubscriptionSummary()}
        failed="Failed to load the subscriptions."
        skeleton={<Skeleton className="h-56 rounded-card" />}
      >
        {(summary) => <Summary summary={summary} />}
      </QueryView>
    </AdminSection>
  );
}

function Summary({ summary }: { summary: SubscriptionSummary }) {
  const { monthly_revenue_change_usd: change, median_proof_submitted_at: median } = summary;
  const proofsNote = (
    <>
      {median && (
        <>
          Median wait <TimeSince iso={median} /> ·{" "}
        </>
      )}
      <TextLink to="/admin/users?status=proof">View proofs</TextLink>
    </>
  );
  return (
    <Card className="overflow-hidden">
      <dl className="grid grid-cols-2 gap-px bg-line lg:grid-cols-6">
        <Metric
          label="Monthly revenue"
          note={`${change < 0 ? "−" : "+"}${formatFee(Math.abs(change))} in 30 days`}
        >
          {formatFee(summary.monthly_revenue_usd)}
        </Metric>
        <Metric label="Active">{formatCount(summary.active)}</Metric>
        <Metric
          label="Ending this week"
          note={<TextLink to="/admin/users?status=ending">View users</TextLink>}
        >
          {formatCount(summary.ending_7_days)}
        </Metric>
        <Metric
          label="In grace"
          note={
            <>
              Still with access · <TextLink to="/admin/users?status=grace">View users</TextLink>
            </>
          }
        >
          {formatCount(summary.grace)}
        </Metric>
        <Metric
          label="Ended"
          note={
            <>
              In 30 days · <TextLink to="/admin/users?status=ended">View all</TextLink>
            </>
          }
        >
          {formatCount(summary.ended_30_days)}
        </Metric>
        <Metric label="Proofs waiting" note={proofsNote}>
          {formatCount(summary.proofs_waiting)}
        </Metric>
      </dl>
      <ActiveByPlan summary={summary} />
    </Card>
  );
}

function ActiveByPlan({ summary: { active, by_plan: counts } }: { summary: SubscriptionSummary }) {
  return (
    <div className="border-t border-line px-4 py-3">
      <h3 className="text-sm text-ink-muted">Active by plan</h3>
      <dl className="mt-2 grid grid-cols-2 gap-x-6 gap-y-3 text-sm lg:grid-cols-4">
        {PLANS.map(({ id, name }) => (
          <div key={id} className="grid grid-cols-[1fr_auto] gap-y-1.5">
            <dt>{name}</dt>
            <dd className="figures font-semibold">{formatCount(counts[id])}</dd>
            <dd aria-hidden className="col-span-2 h-1.5 overflow-hidden rounded-full bg-raised">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${active && (100 * counts[id]) / active}%` }}
              />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
