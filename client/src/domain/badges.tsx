import type { Outcome } from "@shared/contract/signal.ts";
import { CircleCheck, CircleDashed, CircleX, TimerOff } from "lucide-react";
import type { ReactNode } from "react";

const looks = {
  WIN: { Icon: CircleCheck, className: "text-buy" },
  LOSS: { Icon: CircleX, className: "text-sell" },
  EXPIRED: { Icon: TimerOff, className: "text-ink-muted" },
  PENDING: { Icon: CircleDashed, className: "text-ink-muted" },
} as const;

export function OutcomeBadge({ outcome }: { outcome: Outcome | undefined }) {
  const name = outcome ?? "PENDING";
  const { Icon, className } = looks[name];
  return (
    <span className={`inline-flex items-center gap-1.5 text-sm font-medium ${className}`}>
      <Icon aria-hidden className="size-4" />
      {name}
    </span>
  );
}

/** Says where data comes from that is not live. */
export function DataLabel({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-md border border-wait/35 px-1.5 py-0.5 text-xs text-wait">
      {children}
    </span>
  );
}
