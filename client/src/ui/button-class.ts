const base =
  "inline-flex items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap transition-colors select-none disabled:opacity-60";

const variants = {
  primary: "bg-accent text-on-accent hover:not-disabled:bg-accent-strong",
  secondary:
    "border border-line-strong bg-raised text-ink hover:not-disabled:border-ink-faint hover:not-disabled:bg-line",
  danger:
    "border border-danger/35 text-danger hover:not-disabled:border-danger/60 hover:not-disabled:bg-danger/12",
  dangerSolid: "bg-danger text-on-accent hover:not-disabled:bg-danger/85",
  ghostDanger: "text-danger hover:not-disabled:bg-danger/12",
  ghost: "text-ink-muted hover:not-disabled:bg-raised hover:not-disabled:text-ink",
} as const;

const sizes = {
  sm: "h-9 px-3 text-sm",
  md: "h-10 px-4 text-sm",
  lg: "h-12 px-6 text-base",
} as const;

export interface ButtonLook {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
}

/** Classes of a button, for buttons and for links that look like one. */
export const buttonClass = ({ variant = "primary", size = "md" }: ButtonLook = {}): string =>
  `${base} ${variants[variant]} ${sizes[size]}`;
