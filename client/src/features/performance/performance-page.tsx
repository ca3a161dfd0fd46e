import { MESSAGES, MIN_SIGNALS } from "@shared/contract/constants.ts";
import { isExploration } from "@shared/contract/edge-statement.ts";
import { statusSchema } from "@shared/contract/market-data.ts";
import {
  EXPORT_FORMATS,
  type Performance,
  type PerformanceQuery,
} from "@shared/contract/performance.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChartLine, Download } from "lucide-react";
import { Link } from "react-router-dom";
import {
  PERFORMANCE_STALE_MS,
  performanceParams,
  performanceQuery,
} from "../../domain/performance-query.ts";
import { api } from "../../lib/api/client.ts";
import { apiOrigin } from "../../lib/env.ts";
import { formatCount, formatDateTime } from "../../lib/format.ts";
import { useFilterParams } from "../../lib/use-filter-params.ts";
import { Alert } from "../../ui/alert.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { EmptyState, LoadError } from "../../ui/load-states.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { BenchSection } from "./bench/bench-section.tsx";
import { ConfidenceCard } from "./confidence-card.tsx";
import { EquityCard } from "./equity-card.tsx";
import { FilterBar, filterOf, isFiltered } from "./filter-bar.tsx";
import { HeadlineMetrics } from "./headline-metrics.tsx";
import { ModelTable } from "./model-table.tsx";
import { WaitCard } from "./wait-card.tsx";

const methodPoints = [
  "A signal is decided once it was filled and its target or stop was touched. The win rate and its random baseline cover the decided signals, with Wilson's 95% interval.",
  "Random baseline: on a price without drift, the target is reached before the stop with the probability stop distance / (stop distance + target distance). A near target wins often without any skill.",
  "Edge over chance is how much more often the closed trades won than by that baseline, in percentage points (pp). An expired trade counts as part of a win, by how far its exit was from stop to target.",
  "An edge has to pay the costs: break-even is the edge at which the result after costs is 0. We call trades better than chance only if the edge is above that however often one looks. Such bounds are wider than a 95% interval, which is made for one look.",
  "A market, timeframe or period is a part of the record, for exploration: the best of many parts looks good by chance. Nothing is claimed of it.",
  "Brier skill compares the stated confidence with the chance that follows from the levels alone. At 0 it says no more than they do; below, it misleads.",
  "Results in R include every trade that was filled and closed, also expired ones, after fees. WAITs, failed and unfilled signals have no result but are counted. What WAITs passed up is a figure of its own.",
  "Trades that are open at the same time depend on each other, within one market and across markets. All intervals account for this by comparing periods several times as long as a trade. The number of independent trades shows how much evidence remains.",
  "Signals from live data and from demo data are never combined.",
] as const;

export function PerformancePage() {
  usePageDescription(
    "The outcome of every trading signal: win rate, expectancy and drawdown with margins of error, compared with a random baseline.",
  );
  const [params, setParams] = useFilterParams();
  const { filter, record, isChosen } = useRecord(params);
  const { data, error, isPlaceholderData, refetch } = record;
  const show = (changed: PerformanceQuery) => {
    const changedParams = performanceParams(changed);
    // Without it, the demo record would open again.
    if (changed.data === "live" && isChosen) changedParams.set("data", "live");
    setParams(changedParams);
  };
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <PageHeading title="Performance">
        Every BUY and SELL of all traders, resolved against the prices that followed. Nothing is
        excluded, and losses stay when a history is cleared.
      </PageHeading>
      <FilterBar filter={filter} recorded={data?.recorded} onChange={show} />
      {filter.data === "replay" && (
        <Alert tone="warning" title={MESSAGES.demoRecord}>
          These signals use recorded prices shifted to the present. They show how this page works
          and say nothing about a real market.
        </Alert>
      )}
      {error && <LoadError title="The record could not be loaded." onRetry={refetch} />}
      {!data && !error && <RecordSkeleton />}
      {data && (
        <div
          aria-busy={isPlaceholderData}
          className={`flex flex-col gap-6 transition-opacity ${isPlaceholderData ? "opacity-50" : ""}`}
        >
          {isEmpty(data) ? (
            <Empty filter={filter} />
          ) : (
            <PerformanceRecord performance={data} filter={filter} />
          )}
        </div>
      )}
      <BenchSection />
      <Method />
    </div>
  );
}

const isEmpty = ({ counts }: Performance): boolean =>
  Object.values(counts).every((count) => count === 0);

interface PerformanceRecordProps {
  performance: Performance;
  filter: PerformanceQuery;
}

function PerformanceRecord({ performance, filter }: PerformanceRecordProps) {
  const { counts, win_rate: winRate, updated_at: updatedAt } = performance;
  const isPart = isExploration(filter);
  return (
    <>
      {winRate === null && (
        <Alert tone="info" title="Not enough signals">
          {counts.decided < MIN_SIGNALS
            ? `${counts.decided} of at least ${MIN_SIGNALS} decided signals. With fewer, the rates are too uncertain to show.`
            : "The trades are too close together in time. A margin of error needs trades from at least four separate periods."}
        </Alert>
      )}
      {isPart && (
        <Alert tone="info" title="Exploration">
          These filters show a part of the record. The best of many parts looks good by chance, so
          nothing is claimed of it.
        </Alert>
      )}
      <HeadlineMetrics performance={performance} isExploration={isPart} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="figures text-sm text-ink-faint">
          {updatedAt && `Updated ${formatDateTime(updatedAt)}`}
        </p>
        {performance.trades > 0 && <ExportLinks filter={filter} />}
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        <EquityCard curve={performance.equity} />
        <SignalCounts counts={counts} />
      </div>
      <ConfidenceCard said={performance.confidence} calibrated={performance.calibrated} />
      <WaitCard waits={performance.waits} count={counts.waits} />
      <ModelTable models={performance.models} data={filter.data} />
    </>
  );
}

/** Downloads of the closed trades that the record shows. */
function ExportLinks({ filter }: { filter: PerformanceQuery }) {
  const params = String(performanceParams(filter));
  return (
    <div className="flex gap-2">
      {EXPORT_FORMATS.map((format) => (
        <a
          key={format}
          href={`${apiOrigin}/performance/export?format=${format}&${params}`}
          download
          className={buttonClass({ variant: "secondary", size: "sm" })}
        >
          <Download aria-hidden className="size-4" />
          Export {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
}

function Empty({ filter }: { filter: PerformanceQuery }) {
  const { data } = filter;
  return (
    <EmptyState
      Icon={ChartLine}
      title="No signals here yet"
      text="No signals match these filters yet."
      className="min-h-140"
    >
      <div className="mt-2 flex flex-wrap justify-center gap-3">
        {isFiltered(filter) && (
          <Link to={`?data=${data}`} className={buttonClass()}>
            Clear filters
          </Link>
        )}
        {data === "live" && (
          <Link to="?data=replay" className={buttonClass({ variant: "secondary" })}>
            View the demo record
          </Link>
        )}
      </div>
    </EmptyState>
  );
}

function Method() {
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">How this is measured</h2>
      <ul className="mt-3 grid gap-x-10 gap-y-2.5 text-sm leading-relaxed text-ink-muted md:grid-cols-2">
        {methodPoints.map((point) => (
          <li key={point} className="text-pretty">
            {point}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RecordSkeleton() {
  return (
    <div role="status" aria-label="Loading the record" className="flex flex-col gap-6">
      <div className="grid gap-4 md:grid-cols-3">
        <Skeleton className="h-52 rounded-card" count={3} />
      </div>
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}

/** A worker may be making the demo record. */
const EMPTY_POLL_INTERVAL_MS = 4_000;

const hasRecord = (performance: Performance | undefined): boolean =>
  performance !== undefined && performance.recorded.symbols.length > 0;

/** Keeps showing the previous record while another one loads. */
const usePerformance = (filter: PerformanceQuery, enabled = true) =>
  useQuery({
    ...performanceQuery(filter),
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      hasRecord(state.data) ? PERFORMANCE_STALE_MS : EMPTY_POLL_INTERVAL_MS,
  });

/** The record that the address names, or the one that exists: in demo mode without live data, that of the demo data. */
function useRecord(params: URLSearchParams) {
  const filter = filterOf(params);
  const isNamed = params.has("data");
  const named = usePerformance(filter);
  const status = useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => api({ path: "/status", schema: statusSchema, signal }),
    enabled: !isNamed,
  });
  const isDemo = status.data?.market_data === "replay";
  const isMissing = !isNamed && named.data !== undefined && !hasRecord(named.data);
  const demoFilter: PerformanceQuery = { ...filter, data: "replay" };
  const demo = usePerformance(demoFilter, isMissing && isDemo);
  if (!isMissing) return { filter, record: named, isChosen: isNamed };
  if (status.isPending || (isDemo && demo.isPending)) {
    return { filter, record: { ...named, data: undefined }, isChosen: false };
  }
  if (!hasRecord(demo.data)) return { filter, record: named, isChosen: false };
  return { filter: demoFilter, record: demo, isChosen: true };
}

const outcomes = [
  { key: "wins", dot: "bg-buy", name: "Won", text: "Target touched first" },
  { key: "losses", dot: "bg-sell", name: "Lost", text: "Stop touched first" },
  { key: "expired", dot: "bg-wait", name: "Expired", text: "Closed at the hold limit" },
  {
    key: "not_filled",
    dot: "bg-ink-faint",
    name: "Not filled",
    text: "Price never reached the entry",
  },
  { key: "waits", dot: "bg-ink-faint", name: "WAIT", text: "Advice not to trade" },
  { key: "failed", dot: "bg-ink-faint", name: "Failed", text: "No data or no analysis" },
  { key: "pending", dot: "bg-accent", name: "Pending", text: "Not resolved yet" },
] as const;

function SignalCounts({ counts }: { counts: Performance["counts"] }) {
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">Outcomes</h2>
      <dl className="flex flex-col">
        {outcomes.map(({ key, dot, name, text }) => (
          <div
            key={key}
            className="flex items-center gap-3 border-t border-line py-2.5 first:border-t-0"
          >
            <span aria-hidden className={`size-2.5 shrink-0 rounded-full ${dot}`} />
            <dt className="flex-1">
              {name}
              <span className="block text-xs text-ink-faint">{text}</span>
            </dt>
            <dd className="figures text-lg font-semibold">{formatCount(counts[key])}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
