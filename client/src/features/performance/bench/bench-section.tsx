import {
  type Bench,
  type BenchArm,
  type BenchDetails,
  benchDetailsSchema,
  benchSchema,
} from "@shared/contract/analyst-bench.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { DataLabel } from "../../../domain/badges.tsx";
import { api } from "../../../lib/api/client.ts";
import { apiOrigin } from "../../../lib/env.ts";
import { formatCount, formatDay, formatDollars, formatR } from "../../../lib/format.ts";
import { type Column, NumberTable } from "../../../ui/table.tsx";
import { BenchChart } from "./bench-chart.tsx";
import { PairMatrix } from "./pair-matrix.tsx";
import type { ShownArm } from "./shown-arm.ts";

const POLL_INTERVAL_MS = 30_000;

/** Analysts that judge the same candles, compared; nothing without a bench. */
export function BenchSection() {
  const bench = useQuery({
    queryKey: ["bench"],
    queryFn: ({ signal }) => api({ path: "/bench", schema: benchSchema, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });
  const details = useQuery({
    queryKey: ["bench", "details"],
    queryFn: ({ signal }) => api({ path: "/bench/details", schema: benchDetailsSchema, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });
  if (!bench.data || !details.data || bench.data.arms.length === 0) return null;
  return <BenchRecord bench={bench.data} details={details.data} />;
}

function BenchRecord({ bench, details }: { bench: Bench; details: BenchDetails }) {
  const arms = bench.arms.map((arm) => ({
    arm,
    detail: details.arms.find(({ id }) => id === arm.id),
  }));
  return (
    <section aria-labelledby="bench" className="flex scroll-mt-24 flex-col gap-6">
      <header className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-3">
          <h2 id="bench" className="text-xl font-semibold tracking-tight">
            Bench
          </h2>
          {details.is_demo && <DataLabel>{MESSAGES.demoRecord}</DataLabel>}
        </div>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">
          Several analysts judge the same closed candles at the same time, and their analyses are in
          the ledger before the market answers. No trader gets them, and they count in no other
          figure here. Results are in R, after costs. Intervals hold however often you look.
        </p>
        <p className="text-sm text-ink-faint">{describeMarkets(details)}</p>
      </header>
      <NumberTable
        caption="Arms of the bench"
        hidesCaption
        columns={columns}
        rows={arms}
        keyOf={({ arm }) => arm.id}
      />
      <BenchChart arms={arms} />
      <PairMatrix bench={bench} details={details} />
    </section>
  );
}

const describeMarkets = ({ markets }: BenchDetails): string => {
  const names = markets.map(({ symbol, timeframe }) => `${symbol} ${timeframe}`);
  const shown = names.slice(0, SHOWN_MARKETS).join(", ");
  const more = names.length - SHOWN_MARKETS;
  return more > 0 ? `${shown} and ${more} more` : shown;
};

const SHOWN_MARKETS = 6;

const TOO_FEW = <span className="text-ink-faint">too few</span>;

/** The records of an arm in the ledger. */
const recordsUrl = ({ arm, detail }: ShownArm): string =>
  `${apiOrigin}/ledger?arm=${encodeURIComponent(arm.id)}&after=${(detail?.first_record ?? 1) - 1}`;

const Recorded = ({ shown, count }: { shown: ShownArm; count: number }) =>
  count === 0 ? (
    "0"
  ) : (
    <a
      href={recordsUrl(shown)}
      className="underline decoration-line-strong underline-offset-4 hover:decoration-current"
    >
      {formatCount(count)}
      <span className="sr-only"> ledger records of {shown.arm.label}</span>
    </a>
  );

const columns: readonly [Column<ShownArm>, ...Column<ShownArm>[]] = [
  {
    name: "Arm",
    value: ({ arm, detail }) => (
      <>
        {arm.label}
        <span className="block text-xs font-normal text-ink-faint">
          {detail?.is_baseline ? "baseline" : arm.model}, since {formatDay(arm.since)}
        </span>
      </>
    ),
  },
  {
    name: "Analyses",
    isWide: true,
    value: (shown) => <Recorded shown={shown} count={shown.arm.analyses} />,
  },
  { name: "Decided", value: (shown) => <Recorded shown={shown} count={shown.arm.decided} /> },
  {
    name: "Failed",
    isWide: true,
    tone: ({ arm }) => arm.failed > 0 && "text-danger",
    value: ({ arm }) => formatCount(arm.failed),
  },
  {
    name: "A trade",
    value: ({ arm: { expectancy_r: mean } }) =>
      mean === null ? (
        TOO_FEW
      ) : (
        <>
          {formatR(mean.value)}
          <span className="block text-xs text-ink-faint">
            {formatR(mean.low)} to {formatR(mean.high)}
          </span>
        </>
      ),
  },
  {
    name: "Cost",
    isWide: true,
    value: ({ arm: { cost_per_analysis_usd: usd } }) => formatCost(usd),
  },
  {
    name: "Time, 95%",
    isWide: true,
    value: ({ arm: { latency_ms } }) => formatLatency(latency_ms),
  },
];

function formatCost(usd: number | null): string {
  if (usd === null) return "unknown";
  return usd === 0 ? "free" : formatDollars(usd);
}

const SECOND_MS = 1_000;

const inUnits = (ms: number): string =>
  ms < SECOND_MS ? `${formatCount(ms)} ms` : `${Number((ms / SECOND_MS).toFixed(1))} s`;

function formatLatency({ p50, p95 }: BenchArm["latency_ms"]) {
  if (p50 === null || p95 === null) return TOO_FEW;
  return (
    <>
      {inUnits(p50)}
      <span className="block text-xs text-ink-faint">{inUnits(p95)}</span>
    </>
  );
}
