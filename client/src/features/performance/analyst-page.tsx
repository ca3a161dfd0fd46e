import { MESSAGES } from "@shared/contract/constants.ts";
import { edgeStatement } from "@shared/contract/edge-statement.ts";
import { CLASS_FACTS } from "@shared/contract/instruments.ts";
import {
  type AnalystRecordQuery,
  analystRecordQuerySchema,
  type Performance,
  recordPartsSchema,
} from "@shared/contract/performance.ts";
import { useQuery } from "@tanstack/react-query";
import { ChartLine } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import {
  PERFORMANCE_STALE_MS,
  performanceParams,
  performanceQuery,
} from "../../domain/performance-query.ts";
import { api } from "../../lib/api/client.ts";
import { formatCount } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { buttonClass, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { EmptyState, LoadError } from "../../ui/load-states.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { ConfidenceCard } from "./confidence-card.tsx";
import { HeadlineMetrics } from "./headline-metrics.tsx";
import { type PartRow, PartTable } from "./part-table.tsx";
import { WaitCard } from "./wait-card.tsx";

/** The whole record of one analyst version and model, which the address names. */
export function AnalystPage() {
  usePageDescription(
    "The record of one analyst and model: how well its confidence fits, its edge after costs, and how much is known of it.",
  );
  const [params] = useSearchParams();
  const author = analystRecordQuerySchema.safeParse(Object.fromEntries(params)).data;
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <TextLink to={author?.data === "replay" ? "/performance?data=replay" : "/performance"}>
        All signals
      </TextLink>
      {author ? (
        <AnalystRecord author={author} />
      ) : (
        <>
          <PageHeading title="Analyst" />
          <NoRecord title="Choose an analyst first" />
        </>
      )}
    </div>
  );
}

function AnalystRecord({ author }: { author: AnalystRecordQuery }) {
  const { analyst, version, model, data: source } = author;
  const filter = { ...author, period: "all" } as const;
  const { data, error, refetch } = useQuery(performanceQuery(filter));
  return (
    <>
      <PageHeading title={model}>
        {analyst === "rules" ? "Built-in rules" : "AI model"}, version {version}. All its signals
        count. A change of the version or the model starts a new record.
      </PageHeading>
      {source === "replay" && (
        <Alert tone="warning" title={MESSAGES.demoRecord}>
          These signals use recorded prices shifted to the present. They say nothing about a real
          market.
        </Alert>
      )}
      {error && <LoadError title="The record could not be loaded." onRetry={refetch} />}
      {!data && !error && (
        <div role="status" aria-label="Loading the record" className="flex flex-col gap-6">
          <Skeleton className="h-40 rounded-card" />
          <Skeleton className="h-96 rounded-card" />
        </div>
      )}
      {data &&
        (hasSignals(data) ? (
          <AuthorRecord author={author} performance={data} />
        ) : (
          <NoRecord title="No signals here yet" />
        ))}
    </>
  );
}

const hasSignals = ({ counts }: Performance): boolean =>
  Object.values(counts).some((count) => count > 0);

function AuthorRecord({
  author,
  performance,
}: {
  author: AnalystRecordQuery;
  performance: Performance;
}) {
  const { counts, confidence, calibrated, waits } = performance;
  return (
    <>
      <Knowledge performance={performance} />
      <HeadlineMetrics performance={performance} isExploration={false} />
      <ConfidenceCard said={confidence} calibrated={calibrated} />
      <Parts author={author} />
      <WaitCard waits={waits} count={counts.waits} />
    </>
  );
}

/** Two digits: more would look exact. */
const rounded = (trades: number): string => formatCount(Number(trades.toPrecision(2)));

function waitingOf({ edge_bounds: bounds, more_trades_to_know: more }: Performance): string {
  if (!bounds) {
    return "It takes 30 closed trades, from about ten separate periods, to say how many more are needed.";
  }
  if (more === null) {
    return "The edge is so near to what the costs need that a million trades would not separate them.";
  }
  if (more === 0) return "Whether the edge pays the costs is known.";
  return `About ${rounded(more)} more closed trades until it is known whether the edge pays the costs, if results go on as they did.`;
}

function Knowledge({ performance }: { performance: Performance }) {
  const { trades, effective_trades: effective } = performance;
  return (
    <Card className="flex flex-col gap-3 p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">What is known</h2>
      <p className="max-w-3xl text-pretty">{edgeStatement(performance)}</p>
      <p className="figures max-w-3xl text-sm text-ink-muted text-pretty">
        {formatCount(trades)} closed trades, worth {formatCount(effective)} independent ones, as
        some were open at the same time. {waitingOf(performance)}
      </p>
    </Card>
  );
}

function Parts({ author }: { author: AnalystRecordQuery }) {
  const params = performanceParams({ ...author, period: "all" });
  const { data } = useQuery({
    queryKey: ["performance-parts", params.toString()],
    queryFn: ({ signal }) =>
      api({ path: "/performance/parts", query: params, schema: recordPartsSchema, signal }),
    staleTime: PERFORMANCE_STALE_MS,
  });
  const classes = data?.classes.map(
    (part): PartRow => ({ ...part, name: CLASS_FACTS[part.class].title }),
  );
  const timeframes = data?.timeframes.map((part): PartRow => ({ ...part, name: part.timeframe }));
  return (
    <section aria-label="Parts of the record" className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">By market and timeframe</h2>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">
          For exploration: the best of many parts looks good by chance, so nothing is claimed of
          one. The bounds of an edge hold however often one looks.
        </p>
      </div>
      {classes && timeframes ? (
        <>
          <PartTable name="Class" rows={classes} />
          <PartTable name="Timeframe" rows={timeframes} />
        </>
      ) : (
        <Skeleton className="h-56 rounded-card" />
      )}
    </section>
  );
}

function NoRecord({ title }: { title: string }) {
  return (
    <EmptyState
      Icon={ChartLine}
      title={title}
      text="The performance page lists all analysts and models that have signals."
      className="min-h-140"
    >
      <Link to="/performance" className={`mt-2 ${buttonClass()}`}>
        Go to the performance page
      </Link>
    </EmptyState>
  );
}
