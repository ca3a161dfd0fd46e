import { Search } from "lucide-react";
import type { ComponentProps } from "react";
import { fieldClass } from "./field-class.ts";

/** A search field with a magnifier. Its label is up to the caller. */
export function SearchInput(props: Omit<ComponentProps<"input">, "type" | "className">) {
  return (
    <div className="relative">
      <Search
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-3.5 my-auto size-4 text-ink-faint"
      />
      <input
        {...props}
        type="search"
        autoComplete="off"
        spellCheck={false}
        className={`${fieldClass.input} pl-10`}
      />
    </div>
  );
}
