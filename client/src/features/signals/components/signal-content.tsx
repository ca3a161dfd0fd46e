import { formatPrice } from "@shared/contract/price.ts";
import type { Resolution, SharedSignal } from "@shared/contract/resolution.ts";
import type { EntryLeft, Filled, SignalOrigin } from "@shared/contract/signal.ts";
import type { ComponentProps, ReactNode } from "react";
import { OutcomeBadge } from "../../../domain/badges.tsx";
import { formatDateTime, formatR } from "../../../lib/format.ts";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { rewardToRisk, type TradeLevels, tradeLevels } from "../levels.ts";
import { ResultCard, ResultDetails } from "./result-card.tsx";

const chartBox = "h-[36rem]";

const SignalChart = lazyComponent(() => import("../chart/signal-chart.tsx"), "SignalChart", {
  fallback: <Skeleton className="size-full rounded-control" />,
});

interface SignalContentProps {
  signal: SharedSignal &
    Pick<ComponentProps<typeof ResultCard>, "analysis"> & { filled?: Filled | null | undefined };
  origin?: SignalOrigin;
  entryLeft?: EntryLeft | null | undefined;
  /** How far the trade has come. */
  progress?: ReactNode;
  children?: ReactNode;
}

/** The card of a signal, beside its chart and its outcome. */
export function SignalContent(props: SignalContentProps) {
  const { signal, origin, entryLeft, progress, children } = props;
  const { symbol, timeframe, created_at, analysis, judgement } = signal;
  const levels = analysis.final_signal === "WAIT" ? null : tradeLevels(analysis);
  return (
    <article className={signalGridClass}>
      <ResultCard
        signal={{
          symbol,
          timeframe,
          created_at,
          entry_left: entryLeft,
          outcome: judgement?.outcome,
          ...(origin && { origin }),
        }}
        analysis={analysis}
        heading="h1"
        progress={progress}
      />
      <div className="flex min-w-0 flex-col gap-5">
        <Card className={`p-4 sm:p-5 ${chartBox}`}>
          <SignalChart signal={signal} levels={levels} />
        </Card>
        <Card className="p-5">
          <OutcomePanel resolution={judgement} levels={levels} />
        </Card>
        {children}
        <Card className="p-5">
          <ResultDetails analysis={analysis} />
        </Card>
      </div>
    </article>
  );
}

const signalGridClass =
  "grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]";

export function SignalSkeleton() {
  return (
    <div role="status" aria-label="Loading the signal" className={signalGridClass}>
      <Skeleton className="h-[36rem] rounded-card" count={2} />
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

/** Without prices, it is unknown whether the entry was filled. */
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
