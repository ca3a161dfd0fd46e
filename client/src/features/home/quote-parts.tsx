import { formatChange } from "../../lib/format.ts";
import { linePoints } from "./format-quote.ts";

const BOX = { width: 72, height: 22 };

/** A change in percent: told apart by its sign, not by colour alone. */
export function Change({ percent }: { percent: number }) {
  return <span className={percent < 0 ? "text-sell" : "text-buy"}>{formatChange(percent)}</span>;
}

/** The last closes as a line; what it shows is in the figures beside it. */
export function Sparkline({ closes, falling }: { closes: readonly number[]; falling: boolean }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 -1.5 ${BOX.width} ${BOX.height + 3}`}
      className={`h-6 w-18 ${falling ? "stroke-sell" : "stroke-buy"}`}
    >
      <polyline
        points={linePoints(closes, BOX)}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
