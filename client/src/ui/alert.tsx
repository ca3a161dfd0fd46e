import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const looks = {
  info: { Icon: Info, box: "border-accent/30 bg-accent/8", icon: "text-accent" },
  success: { Icon: CircleCheck, box: "border-buy/30 bg-buy/8", icon: "text-buy" },
  warning: { Icon: TriangleAlert, box: "border-wait/30 bg-wait-glow/8", icon: "text-wait" },
  error: { Icon: CircleAlert, box: "border-danger/35 bg-danger/8", icon: "text-danger" },
} as const;

interface AlertProps {
  tone: keyof typeof looks;
  title?: ReactNode;
  children?: ReactNode;
  className?: string;
  /** `alert` interrupts screen readers, `status` waits for a pause. */
  role?: "alert" | "status";
}

interface ErrorAlertProps {
  title?: ReactNode;
  message: string | false | null | undefined;
  className?: string;
}

/** Reports that a request failed; nothing without a message. */
export function ErrorAlert({ message, ...alert }: ErrorAlertProps) {
  if (!message) return null;
  return (
    <Alert tone="error" role="alert" {...alert}>
      {message}
    </Alert>
  );
}

export function Alert({ tone, title, children, className = "", role }: AlertProps) {
  const { Icon, box, icon } = looks[tone];
  return (
    <div
      role={role}
      className={`flex gap-3 rounded-control border px-4 py-3 text-sm leading-relaxed ${box} ${className}`}
    >
      <Icon aria-hidden className={`mt-0.5 size-[1.125rem] shrink-0 ${icon}`} />
      <div className="min-w-0 flex-1 text-pretty">
        {title && <p className="font-medium text-ink">{title}</p>}
        <div className="text-ink-muted">{children}</div>
      </div>
    </div>
  );
}
