import { Progress } from "@base-ui/react/progress";
import { type SignalConfidence, statedLabel } from "@shared/contract/confidence-words.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import type { Analysis, EntryLeft, SignalKind, SignalResponse } from "@shared/contract/signal.ts";
import { rationaleContent } from "@shared/contract/signal.ts";
import { Hourglass, TimerOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { unitName } from "../../../domain/symbols.ts";
import {
  confidenceLevel,
  formatChange,
  formatConfidence,
  formatDuration,
  formatMoment,
  formatUnits,
  formatUsd,
} from "../../../lib/format.ts";
import { useNow } from "../../../lib/use-now.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { useDemoStatus } from "../../signals/api.ts";
import { AnalystRecord } from "../../signals/components/analyst-record.tsx";
import {
  CurrentPrice,
  OriginMark,
  PriceLevels,
  Section,
  SignalHeader,
  signalLooks,
  Warnings,
} from "../../signals/components/signal-parts.tsx";
import {
  distancePercent,
  rewardToRisk,
  type TradeLevels,
  tradeLevels,
} from "../../signals/levels.ts";
import { groupWarnings } from "../../signals/warnings.ts";

interface ResultLevelsProps {
  levels: TradeLevels;
  lastPrice: number | null;
}

function ResultLevels({ levels, lastPrice }: ResultLevelsProps) {
  const ratio = rewardToRisk(levels);
  const entryNote =
    lastPrice === null
      ? ""
      : `${formatChange(distancePercent(lastPrice, levels.entry))} from last price`;
  return (
    <section className="flex flex-col gap-4">
      <PriceLevels levels={levels} entryNote={entryNote} stacked />
      {ratio !== null && (
        <div aria-hidden className="flex h-1.5 gap-0.5 overflow-hidden rounded-full">
          <div className="bg-sell" style={{ flexGrow: 1 }} />
          <div className="bg-buy" style={{ flexGrow: ratio }} />
        </div>
      )}
    </section>
  );
}

const ContractSizeNote = lazyComponent(
  () => import("./contract-size-note.tsx"),
  "ContractSizeNote",
);

function ResultSizing({ symbol, analysis }: { symbol: string; analysis: Analysis }) {
  const { suggested_units: units, estimated_dollar_risk, required_margin } = analysis;
  const facts = [
    { label: "Position size", value: `${formatUnits(units)} ${unitName(symbol)}` },
    { label: "Dollar risk", value: formatUsd(estimated_dollar_risk) },
    { label: "Required margin", value: formatUsd(required_margin) },
  ];
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label="Position"
        className="grid divide-y divide-line rounded-control border border-line sm:grid-cols-3 sm:divide-x sm:divide-y-0"
      >
        {facts.map(({ label, value }) => (
          <div key={label} className="flex items-baseline justify-between gap-4 px-4 py-3 sm:block">
            <dt className="text-sm text-ink-muted">{label}</dt>
            <dd className="figures font-medium sm:mt-1">{value}</dd>
          </div>
        ))}
      </dl>
      <ContractSizeNote symbol={symbol} units={units} />
    </div>
  );
}

function ResultReasons({ analysis }: { analysis: Analysis }) {
  const { raw_ai, suggested_hold, trade_duration_text } = analysis;
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
      <Section
        heading="h3"
        title="Rationale"
        content={rationaleContent(raw_ai.rationale)}
        className="lg:col-span-2"
      />
      <Section heading="h3" title="Key evidence" content={raw_ai.key_evidence} />
      <Section heading="h3" title="What to watch for" content={raw_ai.what_to_watch_for} />
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-3 lg:col-span-2">
        <Section heading="h3" title="Market condition" content={raw_ai.market_condition} />
        <Section heading="h3" title="Suggested hold" content={suggested_hold} />
        <Section heading="h3" title="Expected duration" content={trade_duration_text} />
      </div>
    </div>
  );
}

const dataNames = { live: "Live data:", replay: MESSAGES.demoDataPrefix } as const;
const analystNames = { openai: "AI model:", rules: MESSAGES.ruleBasedPrefix } as const;

function ResultSource({ analysis }: { analysis: Analysis }) {
  const { source, delivery_delay_ms: delayMs } = analysis;
  const { data, provider, analyst, model, last_candle_at, analysed_at, price } = source;
  const facts = [
    data === "none" ? "" : `${dataNames[data]} ${provider}`,
    analyst === "none" ? "" : `${analystNames[analyst]} ${model}`,
    price === null ? "" : `Last price: ${formatPrice(price)}`,
    delayMs === undefined ? "" : `Ready ${formatDuration(delayMs)} after candle close`,
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

interface ResultCardProps {
  signal: Pick<SignalResponse, "symbol" | "timeframe" | "created_at" | "origin" | "entry_left">;
  analysis: Analysis;
  /** How far the trade has come. */
  progress?: ReactNode;
  chart?: ReactNode;
}

export function ResultCard({ signal, analysis, progress, chart }: ResultCardProps) {
  const { symbol, timeframe, created_at: createdAt, origin, entry_left: entryLeft } = signal;
  const { final_signal, valid_until } = analysis;
  const levels = tradeLevels(analysis);
  const { name, edge } = signalLooks[final_signal];
  const { disclosures, warnings, notes } = groupWarnings(analysis.warnings);
  const { isReplay, isRules } = useDemoStatus();
  const isDisclosedAbove = (text: string) =>
    text.startsWith(MESSAGES.demoDataPrefix) ? isReplay : isRules;
  return (
    <Card
      data-signal={name}
      className={`flex animate-enter flex-col gap-6 border-t-2 p-5 sm:p-7 ${edge}`}
    >
      <header className="flex flex-col gap-4">
        <SignalHeader kind={final_signal} symbol={symbol} timeframe={timeframe} heading="h2">
          <LocalTime iso={createdAt} focusable />
        </SignalHeader>
        <OriginMark origin={origin} />
        {valid_until && <Validity key={valid_until} until={valid_until} />}
      </header>
      <div role="status" className="empty:hidden">
        {entryLeft && <EntryMissedAlert entryLeft={entryLeft} />}
      </div>
      {progress}
      <Warnings
        title="Demo signal"
        warnings={disclosures.filter((text) => !isDisclosedAbove(text))}
      />
      <Warnings title="Warnings" warnings={warnings} />
      {levels && <ResultLevels levels={levels} lastPrice={analysis.source.price} />}
      {levels && (
        <dl className="-mt-2">
          <CurrentPrice
            symbol={symbol}
            timeframe={timeframe}
            levels={levels}
            data={analysis.source.data}
          />
        </dl>
      )}
      <section aria-label="Chance" className="flex flex-col gap-4">
        <ConfidenceBar signal={final_signal} analysis={analysis} />
        <AnalystRecord analysis={analysis} />
      </section>
      {levels && <ResultSizing symbol={symbol} analysis={analysis} />}
      {chart}
      <ResultReasons analysis={analysis} />
      <Warnings title="Notes on the reasons" warnings={notes} tone="info" />
      <ResultSource analysis={analysis} />
    </Card>
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

const words = { high: "High", medium: "Medium", low: "Low" } as const;
const fills = { high: "bg-buy", medium: "bg-wait", low: "bg-ink-faint" } as const;
/** Green and amber would rate a confidence that has not been measured. */
const neutralFills = { high: "bg-ink", medium: "bg-ink-muted", low: "bg-ink-faint" } as const;

interface ConfidenceBarProps {
  signal: SignalKind;
  analysis: SignalConfidence;
}

export function ConfidenceBar({ signal, analysis }: ConfidenceBarProps) {
  const { confidence, calibrated_confidence: calibrated } = analysis;
  const level = confidenceLevel(confidence);
  const isCalibrated = typeof calibrated === "number";
  const stated = formatConfidence(confidence);
  const text = isCalibrated ? `${stated}, ${words[level].toLowerCase()}` : stated;
  const fill = isCalibrated ? fills[level] : neutralFills[level];
  return (
    <Progress.Root
      value={confidence}
      data-level={level}
      getAriaValueText={() => text}
      className="flex flex-col gap-2"
    >
      {isCalibrated ? (
        <div className="flex items-baseline justify-between gap-4">
          <Progress.Label className="text-sm text-ink-muted">Confidence</Progress.Label>
          <span aria-hidden className="text-sm text-ink-muted">
            {words[level]}
            <strong className="figures ml-2 text-lg font-semibold text-ink">{stated}</strong>
          </span>
        </div>
      ) : (
        <div className="flex items-center gap-3">
          <strong aria-hidden className="figures text-2xl font-semibold tracking-tight">
            {stated}
          </strong>
          <Progress.Label className="max-w-40 text-sm leading-tight text-balance text-ink-muted">
            {statedLabel(signal)}
          </Progress.Label>
        </div>
      )}
      <Progress.Track className="h-2 overflow-hidden rounded-full bg-raised">
        <Progress.Indicator
          className={`h-full rounded-full transition-[width] duration-500 ${fill}`}
        />
      </Progress.Track>
      {isCalibrated && (
        <p
          title="Share of past signals with this confidence that have won."
          className="figures text-xs text-ink-faint"
        >
          Calibrated: {formatConfidence(calibrated)}
        </p>
      )}
    </Progress.Root>
  );
}

function Validity({ until }: { until: string }) {
  const endsAt = Date.parse(until);
  const [hasExpired, setExpired] = useState(Date.now() >= endsAt);
  const now = useNow(!hasExpired);
  if (!hasExpired && now >= endsAt) setExpired(true);
  const Icon = hasExpired ? TimerOff : Hourglass;
  const look = hasExpired ? "border-line bg-raised" : "border-accent/30 bg-accent/8";
  return (
    <p
      className={`flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control border px-4 py-2.5 text-sm ${look}`}
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
}
