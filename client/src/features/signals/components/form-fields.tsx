import { Field } from "@base-ui/react/field";
import { NumberField } from "@base-ui/react/number-field";
import { SIGNAL_DEFAULTS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { memo, useId } from "react";
import { fieldClass } from "../../../ui/field-class.ts";
import { INPUT_LIMITS, setInputs, useBot } from "../bot-store.ts";

// The fields subscribe to their own inputs, so they do not render again with the account or a request.

export const TimeframeField = memo(function TimeframeField() {
  const value = useBot(({ inputs }) => inputs.timeframe);
  const labelId = useId();
  return (
    <div role="radiogroup" aria-labelledby={labelId} className={fieldClass.root}>
      <span id={labelId} className={fieldClass.label}>
        Timeframe
      </span>
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
              onChange={() => setInputs({ timeframe })}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {timeframe}
          </label>
        ))}
      </div>
    </div>
  );
});

const FORMAT: Intl.NumberFormatOptions = { maximumFractionDigits: 8 };

interface NumberInputProps {
  field: keyof typeof INPUT_LIMITS;
  label: string;
}

/** A number that stays within its range. Left empty, it becomes its default. */
export const NumberInput = memo(function NumberInput({ field, label }: NumberInputProps) {
  const value = useBot(({ inputs }) => inputs[field]);
  const onChange = (next: number | null) => setInputs({ [field]: next });
  return (
    <Field.Root className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <NumberField.Root
        value={value}
        onValueChange={onChange}
        locale="en-US"
        format={FORMAT}
        step="any"
        {...INPUT_LIMITS[field]}
      >
        <NumberField.Input
          onBlur={() => value === null && onChange(SIGNAL_DEFAULTS[field])}
          className={`${fieldClass.input} figures`}
        />
      </NumberField.Root>
    </Field.Root>
  );
});
