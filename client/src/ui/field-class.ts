/** 16 px on touch screens: below that, phones zoom into a focused field. */
const control =
  "rounded-control border border-line-strong bg-canvas text-ink text-base sm:text-sm transition-colors placeholder:text-ink-faint hover:border-ink-faint data-invalid:border-danger";

export const fieldClass = {
  root: "flex flex-col gap-1.5",
  label: "text-sm font-medium text-ink-muted",
  input: `${control} h-11 w-full px-3.5 focus-visible:outline-2 focus-visible:outline-offset-0`,
  compact: `${control} h-8 w-full px-2.5 focus-visible:outline-2 focus-visible:outline-offset-0`,
  group: `${control} flex h-11 items-stretch overflow-hidden focus-within:outline-2 focus-within:outline-accent`,
  icon: "pointer-events-none absolute inset-y-0 my-auto size-4 text-ink-faint",
  hint: "text-xs leading-relaxed text-ink-faint",
  error: "text-sm text-danger",
} as const;
