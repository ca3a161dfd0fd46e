import { formatR } from "./judgement-words.ts";
import { judgementTexts as texts } from "./texts.ts";

interface ExcursionProps {
  /** Best and worst of the trade, in R, both at least 0. */
  best: number;
  worst: number;
  /** How far the target was, in R. */
  target: number;
}

/** How far a trade went either way, between the stop (−1 R) and the target. */
export function Excursion({ best, worst, target }: ExcursionProps) {
  const [left, right] = [Math.max(1, worst), Math.max(target, best)];
  const percent = (r: number) => `${(r / (left + right)) * 100}%`;
  const [ahead, behind] = [formatR(best), formatR(-worst)];
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm text-ink-faint">{texts.excursion}</h3>
      <div
        role="img"
        aria-label={texts.excursionOf(ahead, behind)}
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
          {texts.worst} <span className="font-medium text-ink">{behind}</span>
        </span>
        <span className="text-ink-muted">
          {texts.best} <span className="font-medium text-ink">{ahead}</span>
        </span>
      </div>
    </div>
  );
}
