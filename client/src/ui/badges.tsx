import type { Outcome, SignalKind } from "@shared/contract/signal.ts";
import {
  ArrowDownRight,
  ArrowUpRight,
  CircleCheck,
  CircleDashed,
  CircleX,
  Hourglass,
  TimerOff,
} from "lucide-react";
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

const signalLooks = {
  BUY: { Icon: ArrowUpRight, className: "border-buy/35 bg-buy/12 text-buy" },
  SELL: { Icon: ArrowDownRight, className: "border-sell/35 bg-sell/12 text-sell" },
  WAIT: { Icon: Hourglass, className: "border-wait/35 bg-wait-glow/12 text-wait" },
} as const;

const sizes = {
  md: { box: "gap-1 rounded-lg px-2.5 py-1 text-sm", icon: "size-4" },
  lg: { box: "gap-2 rounded-xl px-4 py-2 text-2xl tracking-tight", icon: "size-6" },
} as const;

export function SignalBadge({
  signal,
  size = "md",
}: {
  signal: SignalKind;
  size?: keyof typeof sizes;
}) {
  const { Icon, className } = signalLooks[signal];
  return (
    <span
      className={`inline-flex items-center border font-semibold ${className} ${sizes[size].box}`}
    >
      <Icon aria-hidden className={sizes[size].icon} strokeWidth={2.25} />
      {signal}
    </span>
  );
}
