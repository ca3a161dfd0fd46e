import type { Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { fieldClass } from "../../ui/field-class.ts";
import { botTexts } from "./texts.ts";

interface TimeframeFieldProps {
  value: Timeframe;
  onChange(value: Timeframe): void;
}

/** One of the candle lengths, all in view. */
export function TimeframeField({ value, onChange }: TimeframeFieldProps) {
  return (
    <fieldset className={fieldClass.root}>
      <legend className={`${fieldClass.label} mb-1.5`}>{botTexts.timeframe}</legend>
      <div className="grid grid-cols-7 rounded-control border border-line-strong bg-canvas p-1">
        {TIMEFRAMES.map((timeframe) => (
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
    </fieldset>
  );
}
