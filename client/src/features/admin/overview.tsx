import { CircleCheck, TriangleAlert } from "lucide-react";
import { Link } from "react-router-dom";
import { useOverview } from "../../lib/admin-overview.ts";
import { formatCount } from "../../lib/format.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { LoadError, QueryView } from "../../ui/load-error.tsx";
import { AdminSection } from "./admin-section.tsx";
import { useUsage } from "./api.ts";
import { problemTitles } from "./health-section.tsx";
import { formatCost } from "./usage-section.tsx";
import { WaitingProofs } from "./users/proof-review.tsx";

/** Payment proofs to review, and failures of the system. */
export function WaitingSection() {
  return (
    <AdminSection id="waiting" title="Waiting for you">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <WaitingProofs />
        <Failures />
      </div>
    </AdminSection>
  );
}

function Failures() {
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium">Failures</h3>
        <Link
          to="/admin/system"
          className="rounded text-sm font-medium text-accent hover:underline"
        >
          System
        </Link>
      </div>
      <QueryView
        query={useOverview()}
        failed="Failed to load the state of the system."
        skeleton={<Skeleton className="h-6 w-48" />}
      >
        {({ problems }) =>
          problems.length === 0 ? (
            <p className="flex items-center gap-2 text-sm text-ink-muted">
              <CircleCheck aria-hidden className="size-4 shrink-0 text-buy" />
              All systems operational
            </p>
          ) : (
            <ul className="flex flex-col gap-2 text-sm">
              {problems.map((problem) => (
                <li key={problem} className="flex items-center gap-2 font-medium text-wait">
                  <TriangleAlert aria-hidden className="size-4 shrink-0" />
                  {problemTitles[problem]}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Card>
  );
}

export function Metrics() {
  const { data, error, refetch } = useOverview();
  const { data: usage } = useUsage();
  if (error && !data) {
    return <LoadError title="Failed to load the counts." error={error} onRetry={refetch} />;
  }
  const metrics = [
    ["Users", data && formatCount(data.users)],
    ["Pending approval", data && formatCount(data.pending)],
    ["Signals today", usage && formatCount(usage.today.signals)],
    ["Failed signals, 24 h", data && formatCount(data.failed_signals)],
    ["AI cost today", usage && formatCost(usage.today)],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-5">
      {metrics.map(([label, value]) => (
        <div key={label} className="bg-surface px-4 py-3 last:max-sm:col-span-2">
          <dt className="text-sm text-ink-muted">{label}</dt>
          <dd className="figures mt-0.5 text-xl font-semibold tracking-tight">
            {value ?? <Skeleton className="h-7 w-12" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
