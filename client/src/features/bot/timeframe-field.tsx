import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import type { Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { useId } from "react";
import { fieldClass } from "../../ui/field-class.ts";
import { botTexts } from "./texts.ts";

interface TimeframeFieldProps {
  value: Timeframe;
  onChange(value: Timeframe): void;
}

/** One of the candle lengths, all in view. */
export function TimeframeField({ value, onChange }: TimeframeFieldProps) {
  const labelId = useId();
  return (
    <div className={fieldClass.root}>
      <span id={labelId} className={fieldClass.label}>
        {botTexts.timeframe}
      </span>
      <RadioGroup<Timeframe>
        name="timeframe"
        value={value}
        onValueChange={onChange}
        aria-labelledby={labelId}
        className="grid grid-cols-7 rounded-control border border-line-strong bg-canvas p-1"
      >
        {TIMEFRAMES.map((timeframe) => (
          <Radio.Root
            key={timeframe}
            value={timeframe}
            aria-label={timeframe}
            className="figures flex h-9 cursor-pointer items-center justify-center rounded-md text-sm font-medium text-ink-muted transition-colors hover:text-ink data-checked:bg-accent data-checked:text-on-accent"
          >
            {timeframe}
          </Radio.Root>
        ))}
      </RadioGroup>
    </div>
  );
}
