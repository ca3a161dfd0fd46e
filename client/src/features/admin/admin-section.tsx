import type { ReactNode } from "react";

export const sectionTitles = {
  users: "Users",
  health: "System health",
  payment: "Payment settings",
  images: "Chart images",
  history: "Signal history",
  usage: "AI usage",
} as const;

interface AdminSectionProps {
  id: keyof typeof sectionTitles;
  lead?: string;
  action?: ReactNode;
  children: ReactNode;
}

export function AdminSection({ id, lead, action, children }: AdminSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="flex scroll-mt-32 flex-col gap-5 lg:scroll-mt-24"
    >
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div>
          <h2 id={`${id}-title`} className="text-xl font-semibold tracking-tight">
            {sectionTitles[id]}
          </h2>
          {lead && <p className="mt-1 max-w-2xl text-ink-muted text-pretty">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
