import { MIN_SIGNALS } from "./constants.ts";
import type { Performance } from "./performance.ts";

const points = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** A difference of rates in percentage points with a minus sign, such as `+4.2`. */
export const formatPoints = (difference: number): string =>
  points.format(difference * 100).replace("-", "\u2212");

type EdgeVerdict = "better" | "not-shown" | "worse" | "too-few";

type EdgeMetrics = Pick<Performance, "lift" | "effective_trades">;

/** Compares trades with chance by the 95 % interval of their edge. They must be equivalent to 30 independent ones. */
export function edgeVerdict({ lift, effective_trades: effective }: EdgeMetrics): EdgeVerdict {
  if (lift === null || effective < MIN_SIGNALS) return "too-few";
  if (lift.low > 0) return "better";
  return lift.high < 0 ? "worse" : "not-shown";
}

const VERDICTS: Record<Exclude<EdgeVerdict, "too-few">, string> = {
  better: "Better than chance",
  "not-shown": "Not shown to be better than chance",
  worse: "Worse than chance",
};

/** States whether trades did better than chance, with the edge in percentage points. */
export function edgeStatement(metrics: EdgeMetrics): string {
  const { lift, effective_trades: effective } = metrics;
  const verdict = edgeVerdict(metrics);
  if (lift === null || verdict === "too-few") {
    return `Not enough data yet: ${effective} of at least ${MIN_SIGNALS} independent trades.`;
  }
  const interval = `95% interval ${formatPoints(lift.low)} to ${formatPoints(lift.high)}`;
  return `${VERDICTS[verdict]}: an edge of ${formatPoints(lift.value)} percentage points (${interval}).`;
}
