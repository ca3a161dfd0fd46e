import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import type { Performance, PerformanceQuery } from "@shared/contract/performance.ts";
import { ChartLine } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import { formatDateTime } from "../../lib/format.ts";
import { performanceParams } from "../../lib/performance/performance-params.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { ConfidenceCard } from "./confidence-card.tsx";
import { EquityCard } from "./equity-card.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { HeadlineFigures } from "./headline-figures.tsx";
import { usePerformance } from "./performance-api.ts";
import { filterOf, isFiltered } from "./performance-filter.ts";
import { SignalCounts } from "./signal-counts.tsx";
import { methodTexts, performanceTexts as texts } from "./texts.ts";

export function PerformancePage() {
  usePageDescription(texts.description);
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const { data, error, isPlaceholderData, refetch } = usePerformance(filter);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
      <FilterBar
        filter={filter}
        recorded={data?.recorded}
        onChange={(changed) => setParams(performanceParams(changed), { preventScrollReset: true })}
      />
      {filter.data === "replay" && (
        <Notice tone="warning" title={texts.demoTitle}>
          {texts.demo}
        </Notice>
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
        <Notice tone="info" title={texts.tooFewTitle}>
          {counts.decided < ENOUGH_SIGNALS ? texts.tooFew(counts.decided) : texts.tooClose}
        </Notice>
      )}
      <HeadlineFigures performance={performance} />
      <p className="figures flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm text-ink-muted">
        <strong className="font-medium text-ink">{texts.promise}</strong>
        {updatedAt && (
          <span className="text-ink-faint">{texts.updated(formatDateTime(updatedAt))}</span>
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
    <Notice tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{texts.failed}</span>
        <Button variant="secondary" onClick={onAgain}>
          {texts.tryAgain}
        </Button>
      </div>
    </Notice>
  );
}

function Empty({ filter }: { filter: PerformanceQuery }) {
  const { data } = filter;
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <ChartLine aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{texts.emptyTitle}</p>
      <p className="text-ink-muted">{texts.empty}</p>
      <div className="mt-2 flex flex-wrap justify-center gap-3">
        {isFiltered(filter) && (
          <Link to={data === "live" ? "/performance" : "?data=replay"} className={buttonClass()}>
            {texts.clear}
          </Link>
        )}
        {data === "live" && (
          <Link to="?data=replay" className={buttonClass({ variant: "secondary" })}>
            {texts.toDemo}
          </Link>
        )}
      </div>
    </div>
  );
}

function Method() {
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{methodTexts.heading}</h2>
      <ul className="mt-3 grid gap-x-10 gap-y-2.5 text-sm leading-relaxed text-ink-muted md:grid-cols-2">
        {methodTexts.points.map((point) => (
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
    <div role="status" aria-label={texts.loading} className="flex flex-col gap-6">
      <div className="grid gap-4 md:grid-cols-3">
        <Skeleton className="h-52 rounded-card" />
        <Skeleton className="h-52 rounded-card" />
        <Skeleton className="h-52 rounded-card" />
      </div>
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}
