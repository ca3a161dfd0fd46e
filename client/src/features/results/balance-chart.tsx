import type { Followed } from "@shared/contract/followed.ts";
import { formatDay, formatUsd } from "../../lib/format.ts";
import { PLOT_SIZE, PlotArea, PlotLine, placeOf } from "../../ui/plot.tsx";

export function BalanceChart({ equity }: { equity: Followed["equity"] }) {
  const first = equity.at(0);
  const last = equity.at(-1);
  if (!first || !last) return null;
  const balances = equity.map(({ balance }) => balance);
  const low = Math.min(...balances);
  const high = Math.max(...balances);
  const start = Date.parse(first.at);
  const range = {
    times: { low: start, high: Math.max(Date.parse(last.at), start + 1) },
    values: { low, high: high === low ? low + 1 : high },
  };
  const points = equity.map(({ at, balance }) => placeOf([Date.parse(at), balance], range));
  const [, startY = 0] = points[0] ?? [];
  return (
    <figure className="figures flex flex-col gap-2 text-xs text-ink-faint">
      <div aria-hidden className="flex justify-between">
        <span>{formatUsd(high)}</span>
      </div>
      <PlotArea className="h-56 w-full sm:h-72">
        <line
          x1="0"
          x2={PLOT_SIZE}
          y1={startY}
          y2={startY}
          vectorEffect="non-scaling-stroke"
          className="stroke-line-strong"
        />
        <PlotLine points={points} />
      </PlotArea>
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
