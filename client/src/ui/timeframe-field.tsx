import type { Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { type ReactNode, useId } from "react";
import { fieldClass } from "./field-class.ts";

interface TimeframeFieldProps {
  value: Timeframe;
  options?: readonly Timeframe[];
  error?: string | undefined;
  /** Stands at the end of the label's line. */
  end?: ReactNode;
  onChange(timeframe: Timeframe): void;
}

export function TimeframeField(props: TimeframeFieldProps) {
  const { value, options = TIMEFRAMES, error, end, onChange } = props;
  const id = useId();
  const errorId = `${id}-error`;
  return (
    <div
      role="radiogroup"
      aria-labelledby={id}
      aria-describedby={error ? errorId : undefined}
      className={fieldClass.root}
    >
      <div className="flex items-center justify-between gap-3">
        <span id={id} className={fieldClass.label}>
          Timeframe
        </span>
        {end}
      </div>
      <div className="grid auto-cols-fr grid-flow-col rounded-control border border-line-strong bg-canvas p-1">
        {options.map((timeframe) => (
          <label
            key={timeframe}
            className="figures relative flex h-9 items-center justify-center rounded-md text-sm font-medium text-ink-muted transition-colors hover:text-ink has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="timeframe"
              value={timeframe}
              checked={timeframe === value}
              onChange={() => onChange(timeframe)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {timeframe}
          </label>
        ))}
      </div>
      {error && (
        <p id={errorId} role="alert" className={fieldClass.error}>
          {error}
        </p>
      )}
    </div>
  );
}
