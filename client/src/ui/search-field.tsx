import { Search } from "lucide-react";
import { type ComponentProps, useId } from "react";
import { fieldClass } from "./field-class.ts";

interface SearchFieldProps extends Omit<ComponentProps<"input">, "id" | "type"> {
  label: string;
  labelClass: string;
}

export function SearchField({ label, labelClass, className, ...input }: SearchFieldProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={labelClass}>
        {label}
      </label>
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
    </div>
  );
}
