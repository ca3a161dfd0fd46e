import type { ReactNode } from "react";
import { errorText } from "../../lib/api/errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";

interface AdminSectionProps {
  id: string;
  title: string;
  lead?: string;
  action?: ReactNode;
  children: ReactNode;
}

export function AdminSection({ id, title, lead, action, children }: AdminSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="flex scroll-mt-32 flex-col gap-5 lg:scroll-mt-24"
    >
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div>
          <h2 id={`${id}-title`} className="text-xl font-semibold tracking-tight">
            {title}
          </h2>
          {lead && <p className="mt-1 max-w-2xl text-ink-muted text-pretty">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}

interface LoadErrorProps {
  title: string;
  error: Error;
  busy: boolean;
  onAgain(): void;
}

export function LoadError({ title, error, busy, onAgain }: LoadErrorProps) {
  return (
    <Alert tone="error" role="alert" title={title}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>{errorText(error, "")}</span>
        <Button variant="secondary" size="sm" busy={busy} onClick={onAgain}>
          Try again
        </Button>
      </div>
    </Alert>
  );
}
