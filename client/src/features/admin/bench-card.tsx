import { actionDoneSchema } from "@shared/contract/admin.ts";
import { type AdminBench, adminBenchSchema } from "@shared/contract/analyst-bench.ts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { errorText } from "../../lib/api/errors.ts";
import { formatDollars } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { Card } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { AdminSection } from "./admin-section.tsx";
import { sentence } from "./model-card.tsx";

const KEY = ["admin", "bench"];
const POLL_INTERVAL_MS = 10_000;

const chooseAnalyst = (arm: string | null) =>
  api({ method: "POST", path: "/admin/bench/analyst", body: { arm }, schema: actionDoneSchema });

const STATES = {
  waiting: { label: "Waiting for its first candle", tone: "text-ink-muted" },
  running: { label: "Running", tone: "text-buy" },
  failing: { label: "Failing", tone: "text-danger" },
  budget: { label: "Budget used up until 00:00 UTC", tone: "text-wait" },
} as const;

export const useAdminBench = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api({ path: "/admin/bench", schema: adminBenchSchema, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** The arms of the bench, and which one is the analyst; nothing without a bench. */
export function BenchAdminSection() {
  const { data } = useAdminBench();
  if (!data?.is_configured) return null;
  return (
    <AdminSection id="bench" title="Bench of analysts" lead={describeSpending(data)}>
      <Card>
        <ul className="divide-y divide-line">
          {data.arms.map((arm) => (
            <ArmRow key={arm.id} arm={arm} isAnalyst={arm.id === data.analyst} />
          ))}
        </ul>
      </Card>
    </AdminSection>
  );
}

function describeSpending({ spent_today_usd: spent, budget_usd_per_day: budget }: AdminBench) {
  const of = budget === null ? "without a limit" : `of ${formatDollars(budget)}`;
  return `Spent today: ${formatDollars(spent)} ${of}.`;
}

function ArmRow({ arm, isAnalyst }: { arm: AdminBench["arms"][number]; isAnalyst: boolean }) {
  const { label, tone } = STATES[arm.state];
  const choose = async () => {
    const { detail } = await chooseAnalyst(isAnalyst ? null : arm.id);
    await refetch({ queryKey: KEY });
    return detail;
  };
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-4 py-3.5 sm:px-5">
      <div className="min-w-0">
        <h3 className="font-medium break-words">
          {arm.label}
          {isAnalyst && <span className="ml-2 text-sm text-accent">is the analyst</span>}
        </h3>
        <p className="mt-1 text-sm text-ink-muted">
          {arm.is_baseline ? "Baseline" : `${arm.model}, ${arm.version}`}, spent today{" "}
          {formatDollars(arm.spent_today_usd)}
        </p>
        <p className={`mt-1 text-sm ${tone}`}>
          {label}
          {arm.last_at && (
            <span className="text-ink-faint">
              , last <LocalTime iso={arm.last_at} />
            </span>
          )}
        </p>
        {arm.failure && <p className="mt-1 text-sm text-danger">{sentence(arm.failure)}</p>}
      </div>
      {(arm.may_be_analyst || isAnalyst) && (
        <ConfirmButton
          label={isAnalyst ? "Use that of the settings" : "Make this the analyst"}
          variant="secondary"
          title={isAnalyst ? "Use the analyst of the settings?" : `Make ${arm.label} the analyst?`}
          run={choose}
          failureText={(error) => errorText(error, "The analyst could not be chosen.")}
        >
          All new analyses come from it within ten seconds. The security log keeps what the bench
          says now.
        </ConfirmButton>
      )}
    </li>
  );
}
