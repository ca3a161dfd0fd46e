import { Progress } from "@base-ui/react/progress";
import { confidenceLevel, formatConfidence } from "../../lib/format.ts";
import { resultTexts as texts } from "./texts.ts";

const words = { high: "High", medium: "Medium", low: "Low" } as const;
const fills = { high: "bg-buy", medium: "bg-wait", low: "bg-ink-faint" } as const;

interface ConfidenceBarProps {
  /** 0 to 100. */
  confidence: number;
  /** The same by the record of the analyst; null while that is too short, undefined where nobody has looked. */
  calibrated: number | null | undefined;
}

/** How sure a signal is. */
export function ConfidenceBar({ confidence, calibrated }: ConfidenceBarProps) {
  const level = confidenceLevel(confidence);
  const text = `${formatConfidence(confidence)}, ${words[level].toLowerCase()}`;
  return (
    <Progress.Root
      value={confidence}
      data-level={level}
      getAriaValueText={() => text}
      className="flex flex-col gap-2"
    >
      <div className="flex items-baseline justify-between gap-4">
        <Progress.Label className="text-sm text-ink-muted">Confidence</Progress.Label>
        <span aria-hidden className="text-sm text-ink-muted">
          {words[level]}
          <strong className="figures ml-2 text-lg font-semibold text-ink">
            {formatConfidence(confidence)}
          </strong>
        </span>
      </div>
      <Progress.Track className="h-2 overflow-hidden rounded-full bg-raised">
        <Progress.Indicator
          className={`h-full rounded-full transition-[width] duration-500 ${fills[level]}`}
        />
      </Progress.Track>
      {calibrated !== undefined && (
        <p title={texts.calibratedHint} className="figures text-xs text-ink-faint">
          {calibrated === null
            ? texts.uncalibrated
            : texts.calibrated(formatConfidence(calibrated))}
        </p>
      )}
    </Progress.Root>
  );
}
