import { MESSAGES, MINUTE_MS } from "@shared/contract/constants.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import type { SharedSignal } from "@shared/contract/resolution.ts";
import type { Analysis, EntryLeft, SignalResponse } from "@shared/contract/signal.ts";
import { rationaleContent } from "@shared/contract/signal.ts";
import { Hourglass, TimerOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { DataLabel } from "../../../domain/badges.tsx";
import { unitName } from "../../../domain/symbols.ts";
import { formatDuration, formatMoment, formatUnits, formatUsd } from "../../../lib/format.ts";
import { useNow } from "../../../lib/use-now.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { tradeLevels } from "../levels.ts";
import { groupWarnings } from "../warnings.ts";
import { Chance, ChanceDetails } from "./chance.tsx";
import { ContractSizeNote } from "./contract-size-note.tsx";
import { NextEvents } from "./next-events.tsx";
import {
  CurrentPrice,
  OriginMark,
  PriceLevels,
  Section,
  SignalHeader,
  signalLooks,
  Warnings,
} from "./signal-parts.tsx";

/** Only its owner sees how a signal is sized. */
type Sizing = Pick<Analysis, "suggested_units" | "estimated_dollar_risk" | "required_margin">;
type CardAnalysis = SharedSignal["analysis"] & Partial<Sizing>;

interface ResultCardProps {
  signal: Pick<SignalResponse, "symbol" | "timeframe" | "created_at" | "entry_left"> &
    Partial<Pick<SignalResponse, "origin" | "outcome">>;
  analysis: CardAnalysis;
  /** The main heading of the page, or one below it. */
  heading: "h1" | "h2";
  /** How far the trade has come. */
  progress?: ReactNode;
  children?: ReactNode;
}

/** A finished signal, wherever one is shown: what to do, at which prices, with how much and at which chance comes first. */
export function ResultCard(props: ResultCardProps) {
  const { signal, analysis, heading, progress, children } = props;
  const { symbol, timeframe, created_at: createdAt, origin, entry_left: entryLeft } = signal;
  const { final_signal: kind, valid_until, source } = analysis;
  const levels = kind === "WAIT" ? null : tradeLevels(analysis);
  const { name, edge } = signalLooks[kind];
  const { disclosures, warnings } = groupWarnings(analysis.warnings);
  return (
    <Card
      data-signal={name}
      className={`@container flex animate-enter flex-col gap-5 border-t-2 p-5 ${edge}`}
    >
      <header className="flex flex-col gap-3">
        <SignalHeader kind={kind} symbol={symbol} timeframe={timeframe} heading={heading}>
          <LocalTime iso={createdAt} focusable />
        </SignalHeader>
        {source.demo_record && (
          <p>
            <DataLabel>{MESSAGES.demoRecord}</DataLabel>
          </p>
        )}
        <OriginMark origin={origin} />
      </header>
      <div role="status" className="empty:hidden">
        {entryLeft && <EntryMissedAlert entryLeft={entryLeft} />}
      </div>
      {levels && <PriceLevels levels={levels} lastPrice={source.price} />}
      {levels && <Position symbol={symbol} analysis={analysis} />}
      <Chance analysis={analysis} />
      {valid_until && !signal.outcome && (
        <Validity key={valid_until} until={valid_until} symbol={symbol} />
      )}
      <Warnings title="Warnings" warnings={warnings} />
      {levels && analysis.suggested_units !== undefined && (
        <ContractSizeNote symbol={symbol} units={analysis.suggested_units} entry={levels.entry} />
      )}
      {levels && (
        <dl className="empty:hidden">
          <CurrentPrice symbol={symbol} levels={levels} data={source.data} />
        </dl>
      )}
      {progress}
      <Warnings title="Demo signal" warnings={disclosures} />
      {children}
    </Card>
  );
}

/** Why a signal says what it says: below its card, or beside it where there is room. */
export function ResultDetails({ analysis }: { analysis: CardAnalysis }) {
  const { notes } = groupWarnings(analysis.warnings);
  return (
    <div className="@container flex flex-col gap-5 text-sm">
      <Reasons analysis={analysis} />
      <Warnings title="Notes on the reasons" warnings={notes} tone="info" />
      <ChanceDetails analysis={analysis} />
      <Source analysis={analysis} />
    </div>
  );
}

function EntryMissedAlert({ entryLeft: { price, at } }: { entryLeft: EntryLeft }) {
  const moment = formatMoment(at, new Date());
  return (
    <Alert
      tone="warning"
      title={`Price has left the entry zone (${plainPrice(price)} at ${moment})`}
    >
      The risk and reward shown no longer apply. Request a new signal.
    </Alert>
  );
}

function Position({ symbol, analysis }: { symbol: string; analysis: CardAnalysis }) {
  const { suggested_units: units, estimated_dollar_risk: risk, required_margin: margin } = analysis;
  if (units === undefined || risk === undefined || margin === undefined) return null;
  const facts = [
    { label: "Position size", value: `${formatUnits(units)} ${unitName(symbol)}` },
    { label: "Dollar risk", value: formatUsd(risk) },
    { label: "Required margin", value: formatUsd(margin) },
  ];
  return (
    <dl
      aria-label="Position"
      className="grid gap-x-4 gap-y-1.5 text-sm @xl:grid-cols-3 @xl:rounded-control @xl:border @xl:border-line @xl:px-4 @xl:py-3"
    >
      {facts.map(({ label, value }) => (
        <div key={label} className="flex items-baseline justify-between gap-4 @xl:block">
          <dt className="text-ink-muted">{label}</dt>
          <dd className="figures font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Reasons({ analysis }: { analysis: CardAnalysis }) {
  const { raw_ai, suggested_hold, trade_duration_text } = analysis;
  return (
    <div className="grid gap-x-10 gap-y-5 @2xl:grid-cols-2">
      <Section
        heading="h3"
        title="Rationale"
        content={rationaleContent(raw_ai.rationale)}
        className="@2xl:col-span-2"
      />
      <Section heading="h3" title="Key evidence" content={raw_ai.key_evidence} />
      <Section
        heading="h3"
        title="What speaks against it"
        content={raw_ai.counter_evidence ?? []}
      />
      <Section heading="h3" title="What to watch for" content={raw_ai.what_to_watch_for} />
      <Section heading="h3" title="Market condition" content={raw_ai.market_condition} />
      <Section heading="h3" title="Suggested hold" content={suggested_hold} />
      <Section heading="h3" title="Expected duration" content={trade_duration_text} />
      {raw_ai.chart_reading && (
        <Section
          heading="h3"
          title="Read from the chart image"
          content={chartText(raw_ai.chart_reading)}
        />
      )}
    </div>
  );
}

type ChartReading = NonNullable<CardAnalysis["raw_ai"]["chart_reading"]>;

/** `ETHUSDT; 4h candles; last price 3512.4; lines at 3400, 3600; double top`. */
export function chartText(reading: ChartReading): string {
  const { symbol, timeframe, last_price: price, lines = [], patterns = [] } = reading;
  const parts = [
    symbol,
    timeframe && `${timeframe} candles`,
    price !== null && `last price ${plainPrice(price)}`,
    lines.length > 0 && `lines at ${lines.map(plainPrice).join(", ")}`,
    patterns.join(", "),
  ];
  return parts.filter(Boolean).join("; ") || "Nothing that names the market";
}

const dataNames = { live: "Live data:", replay: MESSAGES.demoDataPrefix } as const;
const analystNames = { openai: "AI model:", rules: MESSAGES.ruleBasedPrefix } as const;

/** Later, a request has met a finished candle, and the time says nothing of the service. */
const MAX_SHOWN_DELAY_MS = 5 * MINUTE_MS;

function Source({ analysis }: { analysis: CardAnalysis }) {
  const { source, delivery_delay_ms: delayMs = Number.POSITIVE_INFINITY } = analysis;
  const { data, provider, analyst, model, last_candle_at, analysed_at, price } = source;
  const facts = [
    data === "none" ? "" : `${dataNames[data]} ${provider}`,
    analyst === "none" ? "" : `${analystNames[analyst]} ${model}`,
    price === null ? "" : `Last price: ${formatPrice(price)}`,
    delayMs > MAX_SHOWN_DELAY_MS ? "" : `Ready ${formatDuration(delayMs)} after candle close`,
  ].filter((fact) => fact !== "");
  if (facts.length === 0 && !last_candle_at) return null;
  return (
    <ul
      aria-label="Source"
      className="figures flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-4 text-sm text-ink-faint"
    >
      {last_candle_at && (
        <li>
          Last candle: <LocalTime iso={last_candle_at} focusable />
        </li>
      )}
      {analysed_at && (
        <li>
          Analyzed: <LocalTime iso={analysed_at} focusable />
        </li>
      )}
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

function Validity({ until, symbol }: { until: string; symbol: string }) {
  const endsAt = Date.parse(until);
  const [hasExpired, setExpired] = useState(Date.now() >= endsAt);
  const now = useNow(!hasExpired);
  if (!hasExpired && now >= endsAt) setExpired(true);
  const Icon = hasExpired ? TimerOff : Hourglass;
  const look = hasExpired ? "border-line bg-raised" : "border-accent/30 bg-accent/8";
  const line = (
    <p
      className={`flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control border px-3 py-2 text-sm ${look}`}
    >
      <Icon aria-hidden className={`size-4 ${hasExpired ? "text-ink-muted" : "text-accent"}`} />
      {hasExpired && <strong className="font-semibold">Expired</strong>}
      <span className="figures text-ink-muted">
        {hasExpired ? "The entry was valid until" : "Valid until"}{" "}
        <LocalTime iso={until} focusable />
      </span>
      {!hasExpired && (
        <span role="timer" className="figures ml-auto font-semibold">
          {formatDuration(endsAt - now)} left
        </span>
      )}
    </p>
  );
  return (
    <>
      {line}
      {!hasExpired && <NextEvents symbol={symbol} />}
    </>
  );
}
