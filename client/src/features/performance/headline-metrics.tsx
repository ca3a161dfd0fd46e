import { edgeStatement, formatPoints } from "@shared/contract/edge-statement.ts";
import type { Performance } from "@shared/contract/performance.ts";
import type { ReactNode } from "react";
import { formatCount, formatR, formatRate } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { shareOf } from "./chart-scale.ts";

const RATE_MARGIN = 0.12;

type Estimate = NonNullable<Performance["win_rate"]>;

export function HeadlineMetrics({ performance }: { performance: Performance }) {
  return (
    <section aria-label="Key metrics" className="grid gap-4 md:grid-cols-3">
      <WinRate performance={performance} />
      <Edge performance={performance} />
      <Expectancy performance={performance} />
      <SmallMetrics performance={performance} />
    </section>
  );
}

interface MetricProps {
  name: string;
  value: string | null;
  unit?: string;
  interval?: string | undefined;
  note: string;
  children?: ReactNode;
}

function Metric({ name, value, unit, interval, note, children }: MetricProps) {
  return (
    <Card className="flex flex-col gap-3 p-5 sm:p-6">
      <h2 className="text-sm font-medium text-ink-muted">{name}</h2>
      {value === null ? (
        <p className="text-lg font-medium text-ink-faint">Not enough signals</p>
      ) : (
        <p className="figures flex flex-wrap items-baseline gap-x-2">
          <span className="text-4xl font-semibold tracking-tight">{value}</span>
          {unit && <span className="text-sm text-ink-muted">{unit}</span>}
        </p>
      )}
      {children}
      <div className="figures mt-auto flex flex-col gap-1 text-sm text-ink-muted">
        {interval && <p>{interval}</p>}
        <p className="text-ink-faint">{note}</p>
      </div>
    </Card>
  );
}

const intervalText = (estimate: Estimate | null, format: (value: number) => string) =>
  estimate ? `95% interval ${format(estimate.low)} to ${format(estimate.high)}` : undefined;

function WinRate({ performance }: { performance: Performance }) {
  const { win_rate: rate, no_edge_rate: noEdge, counts } = performance;
  return (
    <Metric
      name="Win rate"
      value={rate && formatRate(rate.value)}
      interval={intervalText(rate, formatRate)}
      note={`${formatCount(counts.wins)} of ${formatCount(counts.decided)} decided signals`}
    >
      {rate && noEdge !== null && (
        <>
          <RangeBar {...rate} mark={noEdge} {...rateWindow(rate, noEdge)} />
          <Compared name="Random baseline" value={formatRate(noEdge)} />
        </>
      )}
    </Metric>
  );
}

/** A window around the rate and its baseline, wide enough that a small margin looks small. */
const rateWindow = ({ low, high }: Estimate, noEdge: number) => ({
  from: Math.max(0, Math.min(low, noEdge) - RATE_MARGIN),
  to: Math.min(1, Math.max(high, noEdge) + RATE_MARGIN),
});

function Edge({ performance }: { performance: Performance }) {
  const { lift } = performance;
  const reach = lift ? Math.max(0.1, Math.abs(lift.low), Math.abs(lift.high)) * 1.2 : 1;
  return (
    <Metric
      name="Edge over chance"
      value={lift && formatPoints(lift.value)}
      unit="percentage points"
      note={edgeStatement(performance)}
    >
      {lift && (
        <>
          <RangeBar {...lift} mark={0} from={-reach} to={reach} />
          <Compared name="Random baseline" value="0" />
        </>
      )}
    </Metric>
  );
}

function Expectancy({ performance }: { performance: Performance }) {
  const { expectancy_r: mean, trades } = performance;
  const reach = mean ? Math.max(0.25, Math.abs(mean.low), Math.abs(mean.high)) * 1.2 : 1;
  const short = (r: number) => formatR(r).replace(" R", "");
  return (
    <Metric
      name="Expectancy"
      value={mean && short(mean.value)}
      unit="R per trade"
      interval={intervalText(mean, short)}
      note={`Mean of ${formatCount(trades)} closed trades, after fees`}
    >
      {mean && (
        <>
          <RangeBar {...mean} mark={0} from={-reach} to={reach} />
          <Compared name="Break-even" value="0" />
        </>
      )}
    </Metric>
  );
}

function Compared({ name, value }: { name: string; value: string }) {
  return (
    <p className="figures flex items-center gap-2 text-sm">
      <span aria-hidden className="h-3.5 w-0.5 rounded bg-wait" />
      <span className="text-ink-muted">{name}</span>
      <span className="font-medium">{value}</span>
    </p>
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
        <div key={name} className="flex items-baseline justify-between gap-4 sm:block">
          <dt className="text-sm text-ink-muted">
            {name}
            <span className="block text-xs text-ink-faint">{note}</span>
          </dt>
          <dd className="figures text-right text-xl font-semibold tracking-tight sm:mt-1.5 sm:text-left">
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

interface RangeBarProps extends Estimate {
  /** The value to compare with: random baseline, 0 or break-even. */
  mark: number;
  from: number;
  to: number;
}

const percent = (share: number) => `${Math.min(1, Math.max(0, share)) * 100}%`;

function RangeBar({ value, low, high, mark, from, to }: RangeBarProps) {
  const at = (position: number) => shareOf(position, { low: from, high: to });
  const [start, end] = [Math.max(0, at(low)), Math.min(1, at(high))];
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
