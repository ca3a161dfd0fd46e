import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Link } from "react-router-dom";

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

/** Classes of a button, also for links that look like one. */
export const buttonClass = ({ variant = "primary", size = "md" }: ButtonLook = {}): string =>
  `${base} ${variants[variant]} ${sizes[size]}`;

interface ButtonProps extends ComponentProps<"button">, ButtonLook {
  busy?: boolean;
  /** Shown before the text, and replaced by the spinner. */
  Icon?: LucideIcon;
}

export function Button({
  variant,
  size,
  busy = false,
  Icon,
  className = "",
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={busy || props.disabled}
      aria-busy={busy || undefined}
      className={`${buttonClass({ variant, size })} ${className}`}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {!busy && Icon && <Icon aria-hidden className="size-4" />}
      {props.children}
    </button>
  );
}

/** Also for links that leave the application. */
export const linkClass = "rounded font-medium text-accent underline-offset-4 hover:underline";

export const TextLink = ({ className = "", ...props }: ComponentProps<typeof Link>) => (
  <Link {...props} className={`${linkClass} ${className}`} />
);
