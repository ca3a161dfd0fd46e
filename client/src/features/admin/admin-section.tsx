import type { ReactNode } from "react";

interface AdminSectionProps {
  id: string;
  title: string;
  lead?: ReactNode;
  action?: ReactNode;
  /** It is the whole page, whose heading names it. */
  isPage?: boolean | undefined;
  children?: ReactNode;
}

export function AdminSection({ id, title, lead, action, isPage, children }: AdminSectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="flex scroll-mt-28 flex-col gap-4">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div>
          <h2
            id={`${id}-title`}
            className={isPage ? "sr-only" : "text-lg font-semibold tracking-tight"}
          >
            {title}
          </h2>
          {lead && <p className="mt-0.5 max-w-2xl text-sm text-ink-muted text-pretty">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}

interface MetricProps {
  label: string;
  /** Below the value. */
  note?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** One of the values in a `dl`, whose background shows between them as lines. */
export const Metric = ({ label, note, className = "", children }: MetricProps) => (
  <div className={`bg-surface px-4 py-3 ${className}`}>
    <dt className="text-sm text-ink-muted">{label}</dt>
    <dd className="figures mt-0.5">
      <span className="text-xl font-semibold tracking-tight">{children}</span>
      {note && <span className="mt-0.5 block text-xs text-ink-muted">{note}</span>}
    </dd>
  </div>
);
