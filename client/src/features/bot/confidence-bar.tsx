import { Progress } from "@base-ui/react/progress";
import { confidenceLevel, formatConfidence } from "../../lib/format.ts";

const words = { high: "High", medium: "Medium", low: "Low" } as const;
const fills = { high: "bg-buy", medium: "bg-wait", low: "bg-ink-faint" } as const;

/** How sure a signal is, 0 to 100. */
export function ConfidenceBar({ confidence }: { confidence: number }) {
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
    </Progress.Root>
  );
}
