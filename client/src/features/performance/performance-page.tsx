import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import type { Performance, PerformanceQuery } from "@shared/contract/performance.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChartLine } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import { formatDateTime } from "../../lib/format.ts";
import {
  PERFORMANCE_STALE_MS,
  performanceParams,
  performanceQuery,
} from "../../lib/performance-query.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { ConfidenceCard } from "./confidence-card.tsx";
import { EquityCard } from "./equity-card.tsx";
import { FilterBar, filterOf, isFiltered } from "./filter-bar.tsx";
import { formatCount } from "./format-metrics.ts";
import { HeadlineFigures } from "./headline-metrics.tsx";
import { countMessages, methodMessages, performanceMessages } from "./messages.ts";

export function PerformancePage() {
  usePageDescription(performanceMessages.description);
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const { data, error, isPlaceholderData, refetch } = usePerformance(filter);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <PageHeading title={performanceMessages.title}>{performanceMessages.lead}</PageHeading>
      <FilterBar
        filter={filter}
        recorded={data?.recorded}
        onChange={(changed) => setParams(performanceParams(changed), { preventScrollReset: true })}
      />
      {filter.data === "replay" && (
        <Alert tone="warning" title={performanceMessages.demoTitle}>
          {performanceMessages.demo}
        </Alert>
      )}
      {error && <LoadError onAgain={() => void refetch()} />}
      {!data && !error && <RecordSkeleton />}
      {data && (
        <div
          aria-busy={isPlaceholderData}
          className={`flex flex-col gap-6 transition-opacity ${isPlaceholderData ? "opacity-50" : ""}`}
        >
          {isEmpty(data) ? <Empty filter={filter} /> : <TheRecord performance={data} />}
        </div>
      )}
      <Method />
    </div>
  );
}

const isEmpty = ({ counts }: Performance): boolean =>
  Object.values(counts).every((count) => count === 0);

function TheRecord({ performance }: { performance: Performance }) {
  const { counts, win_rate: winRate, updated_at: updatedAt } = performance;
  return (
    <>
      {winRate === null && (
        <Alert tone="info" title={performanceMessages.tooFewTitle}>
          {counts.decided < ENOUGH_SIGNALS
            ? performanceMessages.tooFew(counts.decided)
            : performanceMessages.tooClose}
        </Alert>
      )}
      <HeadlineFigures performance={performance} />
      <p className="figures flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm text-ink-muted">
        <strong className="font-medium text-ink">{performanceMessages.promise}</strong>
        {updatedAt && (
          <span className="text-ink-faint">
            {performanceMessages.updated(formatDateTime(updatedAt))}
          </span>
        )}
      </p>
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        <EquityCard curve={performance.equity} />
        <SignalCounts counts={counts} />
      </div>
      <ConfidenceCard said={performance.confidence} calibrated={performance.calibrated} />
    </>
  );
}

function LoadError({ onAgain }: { onAgain(): void }) {
  return (
    <Alert tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{performanceMessages.failed}</span>
        <Button variant="secondary" onClick={onAgain}>
          {performanceMessages.tryAgain}
        </Button>
      </div>
    </Alert>
  );
}

function Empty({ filter }: { filter: PerformanceQuery }) {
  const { data } = filter;
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <ChartLine aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{performanceMessages.emptyTitle}</p>
      <p className="text-ink-muted">{performanceMessages.empty}</p>
      <div className="mt-2 flex flex-wrap justify-center gap-3">
        {isFiltered(filter) && (
          <Link to={data === "live" ? "/performance" : "?data=replay"} className={buttonClass()}>
            {performanceMessages.clear}
          </Link>
        )}
        {data === "live" && (
          <Link to="?data=replay" className={buttonClass({ variant: "secondary" })}>
            {performanceMessages.toDemo}
          </Link>
        )}
      </div>
    </div>
  );
}

function Method() {
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{methodMessages.heading}</h2>
      <ul className="mt-3 grid gap-x-10 gap-y-2.5 text-sm leading-relaxed text-ink-muted md:grid-cols-2">
        {methodMessages.points.map((point) => (
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
    <div role="status" aria-label={performanceMessages.loading} className="flex flex-col gap-6">
      <div className="grid gap-4 md:grid-cols-3">
        <Skeleton className="h-52 rounded-card" />
        <Skeleton className="h-52 rounded-card" />
        <Skeleton className="h-52 rounded-card" />
      </div>
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}

/** The record that fits the filter; while another one is read, the one before stays. */
export const usePerformance = (filter: PerformanceQuery) =>
  useQuery({
    ...performanceQuery(filter),
    placeholderData: keepPreviousData,
    refetchInterval: PERFORMANCE_STALE_MS,
  });

const fates = [
  { key: "wins", dot: "bg-buy" },
  { key: "losses", dot: "bg-sell" },
  { key: "expired", dot: "bg-wait" },
  { key: "not_filled", dot: "bg-ink-faint" },
  { key: "waits", dot: "bg-ink-faint" },
  { key: "failed", dot: "bg-ink-faint" },
  { key: "pending", dot: "bg-accent" },
] as const;

/** How many signals ended in which way: the losers and those without a result as well. */
export function SignalCounts({ counts }: { counts: Performance["counts"] }) {
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{countMessages.heading}</h2>
      <dl className="flex flex-col">
        {fates.map(({ key, dot }) => (
          <div
            key={key}
            className="flex items-center gap-3 border-t border-line py-2.5 first:border-t-0"
          >
            <span aria-hidden className={`size-2.5 shrink-0 rounded-full ${dot}`} />
            <dt className="flex-1">
              {countMessages[key].name}
              <span className="block text-xs text-ink-faint">{countMessages[key].text}</span>
            </dt>
            <dd className="figures text-lg font-semibold">{formatCount(counts[key])}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
