import { ChevronDown } from "lucide-react";
import { useId } from "react";
import { fieldClass } from "./field-class.ts";

interface SelectFieldProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, value, options, onChange } = props;
  const id = useId();
  const pick = (picked: string) => {
    const option = options.find((candidate) => candidate.value === picked);
    if (option) onChange(option.value);
  };
  return (
    <div className={fieldClass.root}>
      <label htmlFor={id} className={fieldClass.label}>
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => pick(currentTarget.value)}
          className={`${fieldClass.input} cursor-pointer appearance-none pr-10 [&>option]:bg-raised`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-3.5 my-auto size-4 text-ink-faint"
        />
      </div>
    </div>
  );
}
