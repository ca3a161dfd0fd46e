import type { ReactNode } from "react";

interface SwitchFieldProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

/** A labelled switch for what takes effect at once. */
export function SwitchField({
  label,
  hint,
  checked,
  disabled = false,
  onChange,
}: SwitchFieldProps) {
  return (
    <label className="flex cursor-pointer items-start justify-between gap-6 has-disabled:cursor-default has-disabled:opacity-60">
      <span className="min-w-0">
        <span className="block text-sm font-medium">{label}</span>
        {hint && <span className="mt-0.5 block text-sm text-ink-faint text-pretty">{hint}</span>}
      </span>
      <span className="relative mt-0.5 h-6 w-11 shrink-0 rounded-full border border-line-strong bg-raised transition-colors has-checked:border-accent has-checked:bg-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
        <input
          type="checkbox"
          role="switch"
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
    </label>
  );
}
