import { Progress } from "@base-ui/react/progress";
import { type SignalConfidence, statedLabel } from "@shared/contract/confidence-words.ts";
import type { Analysis, SignalKind } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { performanceQuery } from "../../../domain/performance-query.ts";
import { confidenceLevel, formatConfidence } from "../../../lib/format.ts";
import { Skeleton } from "../../../ui/card.tsx";
import {
  AnalystRecord,
  type MeasuredRecord,
  type RecordedAnalysis,
  recordQueryOf,
  similarTrades,
} from "./analyst-record.tsx";

type RawLevels = Pick<Analysis, "entry" | "stop_loss" | "take_profit">;

interface StatedChance {
  /** Of a hundred. */
  percent: number;
  sentence: string;
}

/** The one number of a trade, and what it means: measured where enough trades have ended, otherwise as stated. */
export function chanceOf(
  analysis: SignalConfidence & Partial<RawLevels & { isByRules: boolean }>,
  record: Pick<MeasuredRecord, "confidence"> | undefined,
): StatedChance {
  const { confidence, calibrated_confidence: calibrated } = analysis;
  const similar = record && similarTrades(record.confidence, confidence);
  const measured = calibrated ?? (similar ? (100 * similar.wins) / similar.decided : null);
  const byLevels = measured === null && analysis.isByRules ? chanceByLevels(analysis) : null;
  if (byLevels !== null) {
    const sentence =
      "By the distances of stop and target alone. Too few such trades have ended to check the rules.";
    return { percent: Math.round(byLevels), sentence };
  }
  if (measured === null) {
    const sentence = "The analyst states this. Too few such trades have ended to check it.";
    return { percent: Math.round(confidence), sentence };
  }
  const percent = Math.round(measured);
  return { percent, sentence: `About ${percent} in 100 such trades reached the target first.` };
}

/** The chance of a price without direction, in percent. The score of fixed rules is no chance. */
function chanceByLevels({
  entry = null,
  stop_loss = null,
  take_profit = null,
}: Partial<RawLevels>) {
  if (entry === null || stop_loss === null || take_profit === null) return null;
  const [stop, target] = [Math.abs(entry - stop_loss), Math.abs(take_profit - entry)];
  return stop + target > 0 ? (100 * stop) / (stop + target) : null;
}

/** Stands in where nothing is asked for. */
const NO_QUERY = { data: "live", period: "all" } as const;

/** The chance of a trade in one number and one sentence; of a WAIT, that there is none. */
export function Chance({ analysis }: { analysis: RecordedAnalysis & RawLevels }) {
  const query = recordQueryOf(analysis);
  const isCalibrated = typeof analysis.calibrated_confidence === "number";
  const isMeasured = query !== null && !isCalibrated;
  const { data, isPending } = useQuery({
    ...performanceQuery(query ?? NO_QUERY),
    enabled: isMeasured,
  });
  if (analysis.final_signal === "WAIT") {
    return <p className="text-sm text-ink-muted">No trade now: there is nothing to enter.</p>;
  }
  const isLoading = isMeasured && isPending;
  const isByRules = analysis.source.analyst === "rules";
  const { percent, sentence } = chanceOf({ ...analysis, isByRules }, data);
  return (
    <section aria-label="Chance" className="flex min-h-10 items-center gap-3.5">
      {isLoading ? (
        <>
          <Skeleton className="h-8 w-14" />
          <Skeleton className="h-4 flex-1" />
        </>
      ) : (
        <>
          <strong className="figures text-3xl font-semibold tracking-tight">{percent}%</strong>
          <p className="text-sm leading-snug text-ink-muted text-pretty">{sentence}</p>
        </>
      )}
    </section>
  );
}

/** What the number rests on: the stated confidence, its calibration, and the record with its interval. */
export function ChanceDetails({ analysis }: { analysis: RecordedAnalysis }) {
  return (
    <section aria-label="Details of the chance" className="flex flex-col gap-3">
      <ConfidenceBar signal={analysis.final_signal} analysis={analysis} />
      <AnalystRecord analysis={analysis} />
    </section>
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
      className="figures flex flex-col gap-1.5 text-sm text-ink-faint"
    >
      {isCalibrated ? (
        <div className="flex items-baseline justify-between gap-4">
          <Progress.Label>Confidence</Progress.Label>
          <span aria-hidden>
            {words[level]} <span className="ml-1 text-ink-muted">{stated}</span>
          </span>
        </div>
      ) : (
        <div className="flex items-baseline gap-1.5">
          <span aria-hidden className="text-ink-muted">
            {stated}
          </span>
          <Progress.Label>{statedLabel(signal)}</Progress.Label>
        </div>
      )}
      <Progress.Track className="h-1 overflow-hidden rounded-full bg-raised">
        <Progress.Indicator
          className={`h-full rounded-full transition-[width] duration-500 ${fill}`}
        />
      </Progress.Track>
      {isCalibrated && (
        <p title="Share of past signals with this confidence that have won." className="text-xs">
          Calibrated: {formatConfidence(calibrated)}
        </p>
      )}
    </Progress.Root>
  );
}
