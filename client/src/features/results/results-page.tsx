import { type Followed, followedVerdict, type SkipReason } from "@shared/contract/followed.ts";
import { ChartLine, Download } from "lucide-react";
import {
  formatChange,
  formatCount,
  formatPlural,
  formatR,
  formatRate,
  formatUsd,
} from "../../lib/format.ts";
import { saveFile } from "../../lib/save-file.ts";
import { useFilterParams } from "../../lib/use-filter-params.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { EmptyState, QueryView } from "../../ui/load-states.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { NumberTable } from "../../ui/table.tsx";
import { formatProfit } from "../signals/format-profit.ts";
import { filterOf, followedCsv, paramsOf, rememberAccount, useFollowed } from "./api.ts";
import { BalanceChart } from "./balance-chart.tsx";
import { DayCalendar } from "./day-calendar.tsx";
import { MonthlyEmail } from "./monthly-email.tsx";
import { ResultFilters } from "./result-filters.tsx";

export function ResultsPage() {
  const [params, setParams] = useFilterParams();
  const filter = filterOf(params);
  const followed = useFollowed(filter);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-12">
      <PageHeading title="Results">
        What an account would have done that had followed your signals, after trading costs. Trades
        of crypto pay or receive funding, at the rate that was known when they were analyzed; R is
        without it. Past results say nothing certain about future ones.
      </PageHeading>
      <ResultFilters
        filter={filter}
        onChange={(changed) => {
          setParams(paramsOf(changed));
          void rememberAccount(changed);
        }}
      />
      <QueryView
        query={followed}
        failed="Failed to load your results."
        saysWhenStale
        skeleton={<Skeleton className="h-96 rounded-card" />}
      >
        {(data) => (
          <div
            aria-busy={followed.isPlaceholderData}
            className={`flex flex-col gap-6 transition-opacity ${followed.isPlaceholderData ? "opacity-50" : ""}`}
          >
            {data.trades > 0 ? <Results of={data} /> : <Empty />}
            {data.skipped.length > 0 && <Skipped skipped={data.skipped} />}
          </div>
        )}
      </QueryView>
      {/* What comes above would move it. */}
      {!followed.isPending && <MonthlyEmail account={filter} />}
    </div>
  );
}

const Empty = () => (
  <EmptyState
    Icon={ChartLine}
    className="min-h-64"
    title="No trade has ended yet"
    text="Results appear once a BUY or SELL of yours was filled and has ended."
  />
);

function Results({ of: data }: { of: Followed }) {
  return (
    <>
      {data.demo_trades > 0 && (
        <Alert tone="warning" title="Demo data">
          {formatCount(data.demo_trades)} of these trades are made with recorded prices, shifted to
          the present. They say nothing about a real market.
        </Alert>
      )}
      {data.without_funding > 0 && (
        <Alert tone="info">
          Funding is missing for {formatPlural(data.without_funding, "trade")} of crypto whose rate
          is not known.
        </Alert>
      )}
      {data.truncated && <Alert tone="info">Only your newest 10,000 signals are included.</Alert>}
      <Headline data={data} />
      <Card className="flex flex-col gap-4 p-5 sm:p-6">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-lg font-semibold tracking-tight">Balance</h2>
          <Button
            Icon={Download}
            variant="secondary"
            size="sm"
            onClick={() => saveFile("results.csv", followedCsv(data), "text/csv;charset=utf-8")}
          >
            Export CSV
          </Button>
        </div>
        <BalanceChart equity={data.equity} />
      </Card>
      <Comparison data={data} />
      <Card className="flex flex-col gap-4 p-5 sm:p-6">
        <h2 className="text-lg font-semibold tracking-tight">Days</h2>
        <DayCalendar days={data.by_day} />
      </Card>
      <NumberTable
        caption="By market"
        columns={[
          { name: "Market", value: ({ symbol }) => symbol },
          { name: "Trades", value: ({ trades }) => formatCount(trades) },
          { name: "Wins", isWide: true, value: ({ wins }) => formatCount(wins) },
          { name: "Result", value: ({ total_r }) => formatR(total_r) },
          { name: "Profit", value: ({ profit }) => formatProfit(profit) },
        ]}
        rows={data.by_market}
        keyOf={({ symbol }) => symbol}
      />
    </>
  );
}

interface HeadlineFact {
  name: string;
  value: string;
  note?: string;
}

function Headline({ data }: { data: Followed }) {
  const { start_balance: start, end_balance: end } = data;
  const facts: HeadlineFact[] = [
    {
      name: "End balance",
      value: formatUsd(end),
      note: formatChange(((end - start) / start) * 100),
    },
    {
      name: "Trades",
      value: formatCount(data.trades),
      note: `${formatCount(data.wins)} with a profit`,
    },
    { name: "Result", value: formatR(data.total_r), note: "after costs" },
    {
      name: "Largest drawdown",
      value: formatRate(data.max_drawdown_percent / 100),
      note: "of a peak",
    },
    ...fundingFacts(data),
  ];
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(11rem,40%),1fr))] gap-3 sm:gap-4">
      {facts.map(({ name, value, note }) => (
        <Card key={name} className="p-4 sm:p-5">
          <dt className="text-sm text-ink-faint">{name}</dt>
          <dd className="figures mt-1 text-lg leading-snug font-semibold">
            {value}
            {note && <span className="block text-sm font-normal text-ink-muted">{note}</span>}
          </dd>
        </Card>
      ))}
    </dl>
  );
}

function fundingFacts({ funding }: Followed): HeadlineFact[] {
  if (funding === 0) return [];
  const name = funding < 0 ? "Funding paid" : "Funding received";
  return [{ name, value: formatUsd(Math.abs(funding)) }];
}

function Comparison({ data }: { data: Followed }) {
  const { end_balance, holding, random } = data;
  return (
    <Card className="flex flex-col gap-3 p-5 text-sm leading-relaxed sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">Compared</h2>
      <p>Your signals: {formatUsd(end_balance)}</p>
      {holding && (
        <p>
          Holding the same markets from the first entry to the last exit:{" "}
          {formatUsd(holding.end_balance)}
        </p>
      )}
      {random && (
        <p>
          As many entries at random with the same levels, costs and funding:{" "}
          {formatUsd(random.median)}, usually between {formatUsd(random.low)} and{" "}
          {formatUsd(random.high)}
        </p>
      )}
      <p className="text-ink-muted">{followedVerdict(data)}</p>
    </Card>
  );
}

const REASONS: Record<SkipReason, string> = {
  pending: "The trade has not ended yet",
  "not-filled": "The entry was never reached",
  repeated: "Another of your signals is the same trade",
  "too-late": "The entry was no longer valid",
  "entry-left": "The price had left the entry zone",
  "ended-before": "Stop or target came first",
  "no-price": "No price is known at that time",
  "no-balance": "Nothing was left of the balance",
};

const Skipped = ({ skipped }: { skipped: Followed["skipped"] }) => (
  <NumberTable
    caption="Signals that were not followed"
    columns={[
      { name: "Reason", value: ({ reason }) => REASONS[reason] },
      { name: "Signals", value: ({ count }) => formatCount(count) },
    ]}
    rows={skipped}
    keyOf={({ reason }) => reason}
  />
);
