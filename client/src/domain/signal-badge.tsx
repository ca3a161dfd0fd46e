import type { SignalKind } from "@shared/contract/signal.ts";
import { ArrowDownRight, ArrowUpRight, Hourglass } from "lucide-react";

const looks = {
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
  const { Icon, className } = looks[signal];
  return (
    <span
      className={`inline-flex items-center border font-semibold ${className} ${sizes[size].box}`}
    >
      <Icon aria-hidden className={sizes[size].icon} strokeWidth={2.25} />
      {signal}
    </span>
  );
}
