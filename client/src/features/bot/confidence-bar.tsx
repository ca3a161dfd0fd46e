import { Progress } from "@base-ui/react/progress";
import { type SignalConfidence, statedLabel } from "../../lib/confidence.ts";
import { confidenceLevel, formatConfidence } from "../../lib/format.ts";
import { resultTexts as texts } from "./texts.ts";

const words = { high: "High", medium: "Medium", low: "Low" } as const;
const fills = { high: "bg-buy", medium: "bg-wait", low: "bg-ink-faint" } as const;
/** Green and amber would rate a confidence whose worth has not been measured. */
const neutralFills = { high: "bg-ink", medium: "bg-ink-muted", low: "bg-ink-faint" } as const;

/** The confidence of a signal; in neutral colours unless it is calibrated. */
export function ConfidenceBar(props: SignalConfidence) {
  const { confidence, calibrated } = props;
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
      {isCalibrated ? <RatedLabel text={stated} word={words[level]} /> : <StatedLabel {...props} />}
      <Progress.Track className="h-2 overflow-hidden rounded-full bg-raised">
        <Progress.Indicator
          className={`h-full rounded-full transition-[width] duration-500 ${fill}`}
        />
      </Progress.Track>
      {isCalibrated && (
        <p title={texts.calibratedHint} className="figures text-xs text-ink-faint">
          {texts.calibrated(formatConfidence(calibrated))}
        </p>
      )}
    </Progress.Root>
  );
}

function RatedLabel({ text, word }: { text: string; word: string }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <Progress.Label className="text-sm text-ink-muted">{texts.confidence}</Progress.Label>
      <span aria-hidden className="text-sm text-ink-muted">
        {word}
        <strong className="figures ml-2 text-lg font-semibold text-ink">{text}</strong>
      </span>
    </div>
  );
}

function StatedLabel({ signal, confidence }: SignalConfidence) {
  return (
    <div className="flex items-center gap-3">
      <strong aria-hidden className="figures text-2xl font-semibold tracking-tight">
        {formatConfidence(confidence)}
      </strong>
      <Progress.Label className="max-w-40 text-sm leading-tight text-balance text-ink-muted">
        {statedLabel(signal)}
      </Progress.Label>
    </div>
  );
}
