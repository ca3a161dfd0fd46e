import { formatPoints } from "@shared/contract/edge-statement.ts";
import type { WaitMetrics } from "@shared/contract/performance.ts";
import { formatCount, formatR } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";

interface WaitCardProps {
  waits: WaitMetrics;
  /** All WAITs, with those whose rejected trade has not ended or that rejected none. */
  count: number;
}

/** What the trades would have done that WAITs rejected. A model that always waits is seen here. */
export function WaitCard({ waits, count }: WaitCardProps) {
  if (count === 0) return null;
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">What WAITs passed up</h2>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">
          To wait is a decision too. Each WAIT passed up a trade: the analyst's own where it cost
          too much, otherwise the one that the built-in rules lean to, with their levels. It is
          resolved like every trade, after costs, and counts only here.
        </p>
      </div>
      <p className="font-medium text-pretty">{verdictOf(waits)}</p>
      <dl className="figures grid gap-x-8 sm:grid-cols-2 lg:grid-cols-4">
        {factsOf(waits, count).map(({ name, value, note }) => (
          <div
            key={name}
            className="flex items-baseline justify-between gap-3 border-t border-line py-2.5 lg:flex-col lg:justify-start lg:gap-1"
          >
            <dt className="text-sm text-ink-muted">
              {name}
              {note && <span className="block text-xs text-ink-faint">{note}</span>}
            </dt>
            <dd className="text-right text-lg font-semibold lg:mt-auto lg:text-left">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function verdictOf({ judged, expectancy_r: mean }: WaitMetrics): string {
  if (judged === 0) return "None of these trades has ended yet.";
  if (!mean) return "Too few of these trades have ended to say whether waiting was right.";
  if (mean.high < 0) return "Waiting was right: these trades would have lost money after costs.";
  if (mean.low > 0) return "Waiting was wrong: these trades would have earned money after costs.";
  return "Not known: these trades may have lost or earned money after costs.";
}

const UNKNOWN = <span className="text-sm font-medium text-ink-faint">Not enough trades</span>;

function factsOf({ judged, not_filled: notFilled, ...waits }: WaitMetrics, count: number) {
  const { expectancy_r: mean, lift, total_r: total } = waits;
  return [
    {
      name: "Passed up and ended",
      value: formatCount(judged),
      note: `Of ${formatCount(count)} WAITs; ${formatCount(notFilled)} not filled`,
    },
    {
      name: "Mean result",
      value: mean ? formatR(mean.value) : UNKNOWN,
      note: mean && `95% interval ${formatR(mean.low)} to ${formatR(mean.high)}`,
    },
    {
      name: "Edge over chance",
      value: lift ? `${formatPoints(lift.value)} pp` : UNKNOWN,
      note: lift && `95% interval ${formatPoints(lift.low)} to ${formatPoints(lift.high)} pp`,
    },
    { name: "Total result", value: formatR(total), note: "Sum of these trades" },
  ];
}
