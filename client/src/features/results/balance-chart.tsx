import type { Followed } from "@shared/contract/followed.ts";
import { formatDay, formatUsd } from "../../lib/format.ts";

/** Units of the drawing, which is stretched to its box. */
const SIZE = 1_000;

export function BalanceChart({ equity }: { equity: Followed["equity"] }) {
  const first = equity.at(0);
  const last = equity.at(-1);
  if (!first || !last) return null;
  const balances = equity.map(({ balance }) => balance);
  const low = Math.min(...balances);
  const high = Math.max(...balances);
  const start = Date.parse(first.at);
  const span = Date.parse(last.at) - start || 1;
  const yOf = (balance: number) => (1 - (balance - low) / (high - low || 1)) * SIZE;
  const line = equity
    .map(({ at, balance }) => `${((Date.parse(at) - start) / span) * SIZE},${yOf(balance)}`)
    .join(" ");
  return (
    <figure className="figures flex flex-col gap-2 text-xs text-ink-faint">
      <div aria-hidden className="flex justify-between">
        <span>{formatUsd(high)}</span>
      </div>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        preserveAspectRatio="none"
        className="h-56 w-full overflow-visible sm:h-72"
      >
        <line
          x1="0"
          x2={SIZE}
          y1={yOf(first.balance)}
          y2={yOf(first.balance)}
          vectorEffect="non-scaling-stroke"
          className="stroke-line-strong"
        />
        <polyline
          points={line}
          fill="none"
          vectorEffect="non-scaling-stroke"
          strokeWidth="1.75"
          strokeLinejoin="round"
          className="stroke-accent"
        />
      </svg>
      <div aria-hidden className="flex justify-between">
        <span>{formatUsd(low)}</span>
      </div>
      <figcaption className="text-sm text-ink-muted">
        From {formatUsd(first.balance)} on {formatDay(first.at)} to {formatUsd(last.balance)} on{" "}
        {formatDay(last.at)}.
      </figcaption>
    </figure>
  );
}
