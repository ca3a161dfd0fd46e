import { ChevronDown, Search } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
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
  const pick = (picked: string) => {
    const option = options.find((candidate) => candidate.value === picked);
    if (option) onChange(option.value);
  };
  return (
    <Labelled label={label} labelClass={compact ? "sr-only" : fieldClass.label}>
      {(id) => (
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
      )}
    </Labelled>
  );
}

interface LabelledProps {
  label: string;
  labelClass?: string;
  className?: string;
  children(id: string): ReactNode;
}

/** A label and the control that gets its id. */
export function Labelled({ label, children, ...look }: LabelledProps) {
  const { labelClass = fieldClass.label, className = fieldClass.root } = look;
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={labelClass}>
        {label}
      </label>
      {children(id)}
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

interface SearchFieldProps extends Omit<ComponentProps<"input">, "id" | "type" | "children"> {
  label: string;
  labelClass: string;
  className: string;
}

export const SearchField = ({ label, labelClass, className, ...input }: SearchFieldProps) => (
  <Labelled label={label} labelClass={labelClass} className={className}>
    {(id) => (
      <div className="relative">
        <Search aria-hidden className={`${fieldClass.icon} left-3.5`} />
        <input
          {...input}
          id={id}
          type="search"
          autoComplete="off"
          spellCheck={false}
          className={`${fieldClass.input} pl-10`}
        />
      </div>
    )}
  </Labelled>
);

interface SwitchProps {
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
  id?: string;
  /** For switches without a label. */
  name?: string;
}

export function Switch({ checked, disabled = false, onChange, id, name }: SwitchProps) {
  return (
    <span className="relative h-6 w-11 shrink-0 rounded-full border border-line-strong bg-raised transition-colors has-checked:border-accent has-checked:bg-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-label={name}
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        className="peer absolute inset-0 cursor-pointer opacity-0"
      />
      <span
        aria-hidden
        className="pointer-events-none absolute top-0.5 left-0.5 size-[1.125rem] rounded-full bg-ink-faint transition-transform peer-checked:translate-x-5 peer-checked:bg-on-accent"
      />
    </span>
  );
}
