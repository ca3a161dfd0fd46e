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
    <section id={id} aria-labelledby={`${id}-title`} className="flex scroll-mt-24 flex-col gap-4">
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
