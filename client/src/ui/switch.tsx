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
