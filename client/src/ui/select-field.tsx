import { ChevronDown } from "lucide-react";
import { type ComponentProps, useId } from "react";
import { fieldClass } from "./field-class.ts";

interface SelectFieldProps<Value extends string> {
  label: string;
  /** As high as a small button, with a label for screen readers only. */
  compact?: boolean;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, compact = false, value, options, onChange } = props;
  const id = useId();
  const pick = (picked: string) => {
    const option = options.find((candidate) => candidate.value === picked);
    if (option) onChange(option.value);
  };
  return (
    <div className={fieldClass.root}>
      <label htmlFor={id} className={compact ? "sr-only" : fieldClass.label}>
        {label}
      </label>
      <Select
        id={id}
        compact={compact}
        value={value}
        onChange={({ currentTarget }) => pick(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    </div>
  );
}

interface SelectProps extends Omit<ComponentProps<"select">, "className"> {
  compact?: boolean;
}

/** A select that its form reads, or that `value` controls; without a label. */
export const Select = ({ compact = false, ...props }: SelectProps) => (
  <div className="relative">
    <select
      {...props}
      className={`${compact ? `${fieldClass.compact} pr-8` : `${fieldClass.input} pr-10`} min-w-0 cursor-pointer appearance-none [&_option]:bg-raised`}
    />
    <ChevronDown
      aria-hidden
      className={`${fieldClass.icon} ${compact ? "right-2" : "right-3.5"}`}
    />
  </div>
);
