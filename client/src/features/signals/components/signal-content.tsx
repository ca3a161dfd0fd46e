import { confidenceWords } from "@shared/contract/confidence-words.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import type { Resolution, SharedSignal } from "@shared/contract/resolution.ts";
import { type Filled, rationaleContent, type SignalOrigin } from "@shared/contract/signal.ts";
import type { ReactNode } from "react";
import { DataLabel, OutcomeBadge } from "../../../domain/badges.tsx";
import { formatDateTime, formatR } from "../../../lib/format.ts";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { rewardToRisk, type TradeLevels, tradeLevels } from "../levels.ts";
import { groupWarnings } from "../warnings.ts";
import { AnalystRecord } from "./analyst-record.tsx";
import {
  OriginMark,
  PriceLevels,
  Section,
  SignalHeader,
  signalLooks,
  Warnings,
} from "./signal-parts.tsx";

const chartBox = "h-[32rem]";

const SignalChart = lazyComponent(
  () => import("../chart/signal-chart.tsx"),
  "SignalChart",
  <Skeleton className="size-full rounded-control" />,
);

interface SignalContentProps {
  signal: SharedSignal & { filled?: Filled | null | undefined };
  origin?: SignalOrigin;
  /** How far the trade has come. */
  progress?: ReactNode;
  children?: ReactNode;
}

export function SignalContent({ signal, origin, progress, children }: SignalContentProps) {
  const { symbol, timeframe, created_at: createdAt, analysis, judgement } = signal;
  const { final_signal: kind } = analysis;
  const levels = kind === "WAIT" ? null : tradeLevels(analysis);
  const confidence = confidenceWords(kind, analysis);
  const { name, edge } = signalLooks[kind];
  const { disclosures, warnings, notes } = groupWarnings(analysis.warnings);
  return (
    <article className="flex flex-col gap-5">
      <Card data-signal={name} className={`flex flex-col gap-6 border-t-2 p-5 sm:p-7 ${edge}`}>
        <SignalHeader kind={kind} symbol={symbol} timeframe={timeframe} heading="h1">
          <time dateTime={createdAt}>{formatDateTime(createdAt)}</time>
          {confidence === null ? " " : ` · ${confidence} `}
          {analysis.source.demo_record && <DataLabel>{MESSAGES.demoRecord}</DataLabel>}
        </SignalHeader>
        <OriginMark origin={origin} />
        {progress}
        <Warnings title="Demo signal" warnings={disclosures} />
        <Warnings title="Warnings" warnings={warnings} />
        {levels && <PriceLevels levels={levels} />}
        <AnalystRecord analysis={analysis} />
        <div className={chartBox}>
          <SignalChart signal={signal} levels={levels} />
        </div>
      </Card>
      <Card className="p-5 sm:p-7">
        <OutcomePanel resolution={judgement} levels={levels} />
      </Card>
      {children}
      <Card className="p-5 sm:p-7">
        <SignalReasons analysis={analysis} notes={notes} />
      </Card>
    </article>
  );
}

interface SignalReasonsProps {
  analysis: SharedSignal["analysis"];
  notes: string[];
}

function SignalReasons({ analysis, notes }: SignalReasonsProps) {
  const { raw_ai, suggested_hold, valid_until, source } = analysis;
  return (
    <div className="flex flex-col gap-6">
      <Warnings title="Notes on the reasons" warnings={notes} tone="info" />
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        <Section heading="h2" title="Rationale" content={rationaleContent(raw_ai.rationale)} />
        <Section heading="h2" title="Key evidence" content={raw_ai.key_evidence} />
        <Section heading="h2" title="What to watch for" content={raw_ai.what_to_watch_for} />
        <div className="flex flex-col gap-6">
          <Section heading="h2" title="Suggested hold" content={suggested_hold} />
          {valid_until && (
            <Section heading="h2" title="Entry valid until" content={formatDateTime(valid_until)} />
          )}
          {raw_ai.chart_reading && (
            <Section
              heading="h2"
              title="Read from the chart image"
              content={chartText(raw_ai.chart_reading)}
            />
          )}
          <Section heading="h2" title="Source" content={sourceText(source)} />
        </div>
      </div>
    </div>
  );
}

const dataNames = { live: "Live data", replay: "Recorded data", none: "No data" } as const;
const analystNames = { openai: "an AI model", rules: "fixed rules", none: "no analyst" } as const;

function sourceText(source: SharedSignal["analysis"]["source"]): string {
  const { data, provider, analyst, model } = source;
  const from = data === "live" ? `${dataNames.live} (${provider})` : dataNames[data];
  const by = analyst === "openai" ? `${analystNames.openai} (${model})` : analystNames[analyst];
  return `${from}, analyzed by ${by}`;
}

type ChartReading = NonNullable<SharedSignal["analysis"]["raw_ai"]["chart_reading"]>;

/** `ETHUSDT, 4h candles, last price 3512.4`. */
export function chartText({ symbol, timeframe, last_price: price }: ChartReading): string {
  const parts = [
    symbol,
    timeframe && `${timeframe} candles`,
    price !== null && `last price ${plainPrice(price)}`,
  ];
  return parts.filter(Boolean).join(", ") || "Nothing that names the market";
}

export function SignalSkeleton() {
  return (
    <div role="status" aria-label="Loading the signal" className="flex flex-col gap-5">
      <Skeleton className="h-[36rem] rounded-card" />
      <Skeleton className="h-60 rounded-card" />
    </div>
  );
}

interface OutcomePanelProps {
  resolution: Resolution | null;
  levels: TradeLevels | null;
}

function OutcomePanel({ resolution, levels }: OutcomePanelProps) {
  return (
    <section aria-label="Outcome" className="flex flex-col gap-5">
      <header className="flex items-center justify-between gap-4">
        <h2 className="text-lg font-semibold tracking-tight">Outcome</h2>
        {levels && <OutcomeBadge outcome={resolution?.outcome} />}
      </header>
      <div role="status" className="contents">
        <p className="max-w-prose leading-relaxed text-ink-muted text-pretty">
          {summary({ resolution, levels })}
        </p>
        {resolution?.provider_changed && (
          <p className="max-w-prose text-sm text-ink-faint text-pretty">
            {describeProvider(resolution)}
          </p>
        )}
      </div>
      {resolution && levels && <Figures resolution={resolution} levels={levels} />}
    </section>
  );
}

function summary({ resolution, levels }: OutcomePanelProps): string {
  if (!levels) return "A WAIT has no outcome.";
  return resolution
    ? describeOutcome(resolution, levels)
    : "Still open. Checked at every candle close.";
}

function Figures({ resolution, levels }: { resolution: Resolution; levels: TradeLevels }) {
  const { r_multiple: r, fill, filled_at, exit, exited_at, resolved_at } = resolution;
  const { max_favourable_r: best, max_adverse_r: worst } = resolution;
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure label="Result" tone={toneOf(r)}>
          {resultText(resolution)}
        </Figure>
        {fill !== null && filled_at !== null && (
          <Figure label="Filled" time={filled_at}>
            {formatPrice(fill)}
          </Figure>
        )}
        {exit !== null && exited_at !== null && (
          <Figure label="Closed" time={exited_at}>
            {formatPrice(exit)}
          </Figure>
        )}
        <Figure label="Resolved">
          <time dateTime={resolved_at} className="text-base font-medium">
            {formatDateTime(resolved_at)}
          </time>
        </Figure>
      </dl>
      {best !== null && worst !== null && (
        <Excursion best={best} worst={worst} target={rewardToRisk(levels) ?? 1} />
      )}
      <p className="max-w-prose text-sm text-ink-faint text-pretty">
        1 R is the distance from entry to stop. Results include trading costs and are based on
        closed candles. Where the order of events is unclear, the worse one counts.
      </p>
    </>
  );
}

/** Without prices, nobody knows whether the entry was filled. */
export function resultText({ r_multiple: r, reason }: Resolution): string {
  if (r !== null) return formatR(r);
  return reason === "no-data" ? "Unknown" : "Not filled";
}

function toneOf(r: number | null): string {
  if (!r) return "text-ink";
  return r > 0 ? "text-buy" : "text-sell";
}

interface FigureProps {
  label: string;
  time?: string;
  tone?: string;
  children: ReactNode;
}

function Figure({ label, time, tone = "text-ink", children }: FigureProps) {
  return (
    <div className="rounded-control border border-line bg-canvas px-4 py-3.5">
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="figures mt-1.5">
        <span className={`block text-lg font-semibold tracking-tight ${tone}`}>{children}</span>
        {time && (
          <time dateTime={time} className="block text-sm text-ink-faint">
            {formatDateTime(time)}
          </time>
        )}
      </dd>
    </div>
  );
}

/** In R, all at least 0. */
function Excursion({ best, worst, target }: Record<"best" | "worst" | "target", number>) {
  const left = Math.max(1, worst);
  const right = Math.max(target, best);
  const percent = (r: number) => `${(r / (left + right)) * 100}%`;
  const ahead = formatR(best);
  const behind = formatR(-worst);
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm text-ink-faint">Excursion</h3>
      <div
        role="img"
        aria-label={`Best ${ahead}, worst ${behind} between fill and exit.`}
        className="relative h-2.5 overflow-hidden rounded-full bg-raised"
      >
        <div
          className="absolute inset-y-0 bg-sell"
          style={{ right: percent(right), width: percent(worst) }}
        />
        <div
          className="absolute inset-y-0 bg-buy"
          style={{ left: percent(left), width: percent(best) }}
        />
        <div className="absolute inset-y-0 w-0.5 bg-ink" style={{ left: percent(left) }} />
      </div>
      <div aria-hidden className="figures flex justify-between text-sm">
        <span className="text-ink-muted">
          Worst <span className="font-medium text-ink">{behind}</span>
        </span>
        <span className="text-ink-muted">
          Best <span className="font-medium text-ink">{ahead}</span>
        </span>
      </div>
    </div>
  );
}

/** Who decided in place of the provider of the analysis, and from when on. */
export function describeProvider({ provider, provider_changed_at: at }: Resolution): string {
  const from = at ? ` from ${formatDateTime(at)} on` : "";
  return `Decided by the prices of ${provider}${from}: the provider of the analysis gave none for 24 hours.`;
}

export function describeOutcome({ reason, exit }: Resolution, levels: TradeLevels): string {
  switch (reason) {
    case "target":
      return exit !== null && exit !== levels.takeProfit
        ? `The market opened beyond the target and closed the trade at ${formatPrice(exit)}.`
        : "The market traded beyond the target.";
    case "stop":
      return exit !== null && exit !== levels.stopLoss
        ? `The market opened beyond the stop and closed the trade at ${formatPrice(exit)}.`
        : "The market reached the stop.";
    case "both":
      return "Stop and target were reached within one candle. Which came first is unknown, so the stop counts.";
    case "hold-over":
      return `Neither stop nor target was reached within the suggested hold. The trade ended at the close${exit === null ? "" : `, ${formatPrice(exit)}`}.`;
    case "not-filled":
      return "The market never traded beyond the entry while it was valid. There was no trade.";
    case "no-data":
      return `The market had no prices for 24 hours after the hold limit. ${exit === null ? "Whether the entry was filled is unknown." : `The trade ended at the last known close, ${formatPrice(exit)}.`}`;
  }
}
