import { edgeStatement, formatPoints } from "@shared/contract/edge-statement.ts";
import type { Performance } from "@shared/contract/performance.ts";
import { formatCount, formatR, formatRate } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { shareOf, type ValueRange } from "../../ui/plot.tsx";

const RATE_MARGIN = 0.12;

type Estimate = NonNullable<Performance["win_rate"]>;

interface HeadlineMetricsProps {
  performance: Performance;
  /** Nothing is claimed of a part of the record. */
  isExploration: boolean;
}

export function HeadlineMetrics({ performance, isExploration }: HeadlineMetricsProps) {
  return (
    <section aria-label="Key metrics" className="grid gap-4 md:grid-cols-3">
      {metricsOf({ performance, isExploration }).map((metric) => (
        <Metric key={metric.name} {...metric} />
      ))}
      <SmallMetrics performance={performance} />
    </section>
  );
}

interface MetricProps {
  name: string;
  estimate: Estimate | null;
  format(value: number): string;
  unit?: string;
  showsInterval?: boolean;
  note: string;
  baseline: { name: string; value: number; text: string } | null;
  rangeOf(estimate: Estimate, baseline: number): ValueRange;
}

function metricsOf({ performance, isExploration }: HeadlineMetricsProps): MetricProps[] {
  const { no_edge_rate: noEdge, counts, lift, edge_bounds: bounds } = performance;
  const breakEven = performance.break_even_edge ?? 0;
  const baseline = "Random baseline";
  return [
    {
      name: "Win rate",
      estimate: performance.win_rate,
      format: formatRate,
      showsInterval: true,
      note: `${formatCount(counts.wins)} of ${formatCount(counts.decided)} decided signals`,
      baseline:
        noEdge === null ? null : { name: baseline, value: noEdge, text: formatRate(noEdge) },
      rangeOf: rateRange,
    },
    {
      name: "Edge over chance",
      estimate: lift && { ...lift, ...bounds },
      format: formatPoints,
      unit: "percentage points",
      note: edgeStatement(performance, isExploration),
      baseline: { name: "Pays the costs", value: breakEven, text: formatPoints(breakEven) },
      rangeOf: (edge) => rangeAroundZero(edge, 0.1),
    },
    {
      name: "Expectancy",
      estimate: performance.expectancy_r,
      format: (r) => formatR(r).replace(" R", ""),
      unit: "R per trade",
      showsInterval: true,
      note: `Mean of ${formatCount(performance.trades)} closed trades, after fees`,
      baseline: { name: "Break-even", value: 0, text: "0" },
      rangeOf: (mean) => rangeAroundZero(mean, 0.25),
    },
  ];
}

/** Around the rate and its baseline, wide enough that a small margin looks small. */
const rateRange = ({ low, high }: Estimate, baseline: number): ValueRange => ({
  low: Math.max(0, Math.min(low, baseline) - RATE_MARGIN),
  high: Math.min(1, Math.max(high, baseline) + RATE_MARGIN),
});

function rangeAroundZero({ low, high }: Estimate, minReach: number): ValueRange {
  const reach = Math.max(minReach, Math.abs(low), Math.abs(high)) * 1.2;
  return { low: -reach, high: reach };
}

function Metric(props: MetricProps) {
  const { name, estimate, format, unit, showsInterval, note, baseline, rangeOf } = props;
  return (
    <Card className="flex flex-col gap-3 p-5 sm:p-6">
      <h2 className="text-sm font-medium text-ink-muted">{name}</h2>
      {estimate === null ? (
        <p className="text-lg font-medium text-ink-faint">Not enough signals</p>
      ) : (
        <p className="figures flex flex-wrap items-baseline gap-x-2">
          <span className="text-4xl font-semibold tracking-tight">{format(estimate.value)}</span>
          {unit && <span className="text-sm text-ink-muted">{unit}</span>}
        </p>
      )}
      {estimate && baseline && (
        <>
          <RangeBar
            estimate={estimate}
            mark={baseline.value}
            range={rangeOf(estimate, baseline.value)}
          />
          <p className="figures flex items-center gap-2 text-sm">
            <span aria-hidden className="h-3.5 w-0.5 rounded bg-wait" />
            <span className="text-ink-muted">{baseline.name}</span>
            <span className="font-medium">{baseline.text}</span>
          </p>
        </>
      )}
      <div className="figures mt-auto flex flex-col gap-1 text-sm text-ink-muted">
        {showsInterval && estimate && (
          <p>{`95% interval ${format(estimate.low)} to ${format(estimate.high)}`}</p>
        )}
        <p className="text-ink-faint">{note}</p>
      </div>
    </Card>
  );
}

function SmallMetrics({ performance }: { performance: Performance }) {
  const { profit_factor: factor, max_drawdown_r: drawdown, total_r: total } = performance;
  const enough = drawdown !== null;
  const metrics = [
    {
      name: "Profit factor",
      value: enough ? (factor?.toFixed(2) ?? "Nothing lost") : null,
      note: "Won per 1 R lost",
    },
    {
      name: "Maximum drawdown",
      value: enough ? formatR(-drawdown) : null,
      note: "Largest peak-to-trough decline",
    },
    {
      name: "Total result",
      value: enough ? formatR(total) : null,
      note: "Sum of all closed trades",
    },
    {
      name: "Independent trades",
      value: formatCount(performance.effective_trades),
      note: `Equivalent of ${formatCount(performance.trades)} closed trades, some open at the same time`,
    },
  ];
  return (
    <dl className="grid gap-4 rounded-card border border-line bg-surface px-5 py-4 sm:grid-cols-2 sm:px-6 md:col-span-3 lg:grid-cols-4">
      {metrics.map(({ name, value, note }) => (
        <div
          key={name}
          className="flex items-baseline justify-between gap-4 sm:flex-col sm:items-start sm:gap-0"
        >
          <dt className="text-sm text-ink-muted">
            {name}
            <span className="block text-xs text-ink-faint">{note}</span>
          </dt>
          <dd className="figures text-right text-xl font-semibold tracking-tight sm:mt-auto sm:pt-1.5 sm:text-left">
            {value ?? (
              <span className="text-sm font-medium tracking-normal text-ink-faint">
                Not enough signals
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface RangeBarProps {
  estimate: Estimate;
  /** The value to compare with. */
  mark: number;
  range: ValueRange;
}

const percent = (share: number) => `${Math.min(1, Math.max(0, share)) * 100}%`;

function RangeBar({ estimate: { value, low, high }, mark, range }: RangeBarProps) {
  const at = (position: number) => shareOf(position, range);
  const start = Math.max(0, at(low));
  const end = Math.min(1, at(high));
  return (
    <div aria-hidden className="relative h-5">
      <div className="absolute inset-x-0 top-2 h-1 rounded-full bg-raised" />
      <div
        className="absolute top-1.5 h-2 rounded-full bg-accent/45"
        style={{ left: percent(start), width: percent(end - start) }}
      />
      <div
        className="absolute top-0 h-5 w-0.5 -translate-x-1/2 rounded bg-wait"
        style={{ left: percent(at(mark)) }}
      />
      <div
        className="absolute top-1 size-3 -translate-x-1/2 rounded-full border-2 border-surface bg-accent"
        style={{ left: percent(at(value)) }}
      />
    </div>
  );
}
