import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  Icon: LucideIcon;
  title: string;
  text: string;
  /** Sets the height. */
  className: string;
  children?: ReactNode;
}

export function EmptyState({ Icon, title, text, className, children }: EmptyStateProps) {
  return (
    <div
      className={`flex flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center ${className}`}
    >
      <Icon aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{title}</p>
      <p className="text-ink-muted text-pretty">{text}</p>
      {children}
    </div>
  );
}
