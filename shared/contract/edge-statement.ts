import { MIN_SIGNALS } from "./constants.ts";
import type { Performance, PerformanceQuery } from "./performance.ts";

const points = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** A difference of rates in percentage points with a minus sign, such as `+4.2`. */
export const formatPoints = (difference: number): string =>
  points.format(difference * 100).replace("-", "\u2212");

type EdgeVerdict = "better" | "too-small" | "not-shown" | "worse" | "too-few";

export type EdgeMetrics = Pick<
  Performance,
  "lift" | "effective_trades" | "edge_bounds" | "break_even_edge"
>;

interface KnownEdge {
  value: number;
  low: number;
  high: number;
  /** The edge at which the costs are paid; at least 0. */
  breakEven: number;
}

/** Null while the trades are equivalent to fewer than 30 independent ones, or lie in too few periods. */
function knownEdge(metrics: EdgeMetrics): KnownEdge | null {
  const { lift, effective_trades, edge_bounds: bounds, break_even_edge: breakEven } = metrics;
  if (!lift || !bounds || breakEven === null || effective_trades < MIN_SIGNALS) return null;
  return { value: lift.value, ...bounds, breakEven: Math.max(0, breakEven) };
}

/** Compares trades with chance, and with what their costs need, by bounds that hold however often one looks. */
export function edgeVerdict(metrics: EdgeMetrics): EdgeVerdict {
  const edge = knownEdge(metrics);
  if (!edge) return "too-few";
  if (edge.low > edge.breakEven) return "better";
  if (edge.high < 0) return "worse";
  return edge.high < edge.breakEven ? "too-small" : "not-shown";
}

const VERDICTS: Record<Exclude<EdgeVerdict, "too-few">, string> = {
  better: "Better than chance after costs",
  "too-small": "Too small an edge to pay the costs",
  "not-shown": "Not shown to be better than chance after costs",
  worse: "Worse than chance",
};

/**
 * States whether trades did better than chance after costs, with the edge in percentage points.
 * @param isExploration of a part of the record, which is chosen after seeing it: no claim is made
 */
export function edgeStatement(metrics: EdgeMetrics, isExploration = false): string {
  const { effective_trades: effective } = metrics;
  const edge = knownEdge(metrics);
  const verdict = edgeVerdict(metrics);
  if (!edge || verdict === "too-few") {
    return effective < MIN_SIGNALS
      ? `Not enough data yet: ${effective} of at least ${MIN_SIGNALS} independent trades.`
      : "Not enough data yet: the trades lie in too few separate periods.";
  }
  const said = isExploration ? "Exploration, not a claim" : VERDICTS[verdict];
  const bounds = `${formatPoints(edge.low)} to ${formatPoints(edge.high)} however often one looks`;
  return `${said}: an edge of ${formatPoints(edge.value)} percentage points (${bounds}; break-even at ${formatPoints(edge.breakEven)}).`;
}

type RecordFilter = Pick<
  PerformanceQuery,
  "symbol" | "class" | "timeframe" | "period" | "analyst" | "version" | "model"
>;

/**
 * Whether a record is a part of one, of which nothing is claimed: the best of many parts looks good by chance. The whole
 * record, and that of one analyst version and model, are none.
 */
export function isExploration(filter: RecordFilter): boolean {
  const { symbol, class: instruments, timeframe, period, analyst, version, model } = filter;
  const author = [analyst, version, model];
  const isWholeAuthor = author.every(Boolean) || !author.some(Boolean);
  return Boolean(symbol || instruments || timeframe) || period !== "all" || !isWholeAuthor;
}
