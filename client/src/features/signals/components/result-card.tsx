import { Progress } from "@base-ui/react/progress";
import type { Timeframe } from "@shared/contract/candle.ts";
import type { Analysis, EntryLeft } from "@shared/contract/signal.ts";
import { Hourglass, TimerOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type SignalConfidence, statedLabel } from "../../../lib/confidence.ts";
import { confidenceLevel, formatConfidence, formatDuration } from "../../../lib/format.ts";
import { Card } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { SignalBadge } from "../../../ui/signal-badge.tsx";
import { useNow } from "../hooks/use-now.ts";
import { tradeLevels } from "../levels.ts";
import { AnalystRecord } from "./analyst-record.tsx";
import { ResultLevels, ResultReasons, ResultSizing, ResultSource } from "./result-details.tsx";
import { signalLooks, Warnings } from "./signal-parts.tsx";

const EntryMissedAlert = lazyComponent(
  () => import("./entry-missed-alert.tsx"),
  "EntryMissedAlert",
);

interface ResultCardProps {
  symbol: string;
  timeframe: Timeframe;
  createdAt: string;
  analysis: Analysis;
  entryLeft?: EntryLeft | null | undefined;
  chart?: ReactNode;
}

export function ResultCard(props: ResultCardProps) {
  const { symbol, timeframe, createdAt, analysis, entryLeft, chart } = props;
  const { final_signal, confidence, calibrated_confidence, valid_until, warnings } = analysis;
  const levels = tradeLevels(analysis);
  const { name, edge } = signalLooks[final_signal];
  return (
    <Card
      data-signal={name}
      className={`flex animate-enter flex-col gap-7 border-t-2 p-5 sm:p-7 ${edge}`}
    >
      <header className="grid gap-5 sm:grid-cols-[1fr_16rem] sm:items-center">
        <div className="flex items-center gap-4">
          <SignalBadge signal={final_signal} size="lg" />
          <div className="min-w-0">
            <h2 className="text-xl font-semibold tracking-tight">
              {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
            </h2>
            <p className="figures text-sm text-ink-faint">
              <LocalTime iso={createdAt} focusable />
            </p>
          </div>
        </div>
        <ConfidenceBar
          signal={final_signal}
          confidence={confidence}
          calibrated={calibrated_confidence}
        />
      </header>
      <AnalystRecord analysis={analysis} />
      <div role="status" className="empty:hidden">
        {entryLeft && <EntryMissedAlert entryLeft={entryLeft} />}
      </div>
      {valid_until && <Validity key={valid_until} until={valid_until} />}
      <Warnings warnings={warnings} />
      {levels && (
        <div className="flex flex-col gap-5">
          <ResultLevels levels={levels} lastPrice={analysis.source.price} />
          <ResultSizing symbol={symbol} analysis={analysis} />
        </div>
      )}
      {chart}
      <ResultReasons analysis={analysis} />
      <ResultSource analysis={analysis} />
    </Card>
  );
}

const words = { high: "High", medium: "Medium", low: "Low" } as const;
const fills = { high: "bg-buy", medium: "bg-wait", low: "bg-ink-faint" } as const;
/** Green and amber would rate a confidence that has not been measured. */
const neutralFills = { high: "bg-ink", medium: "bg-ink-muted", low: "bg-ink-faint" } as const;

export function ConfidenceBar({ signal, confidence, calibrated }: SignalConfidence) {
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
