import { groupBy, sumOf } from "./intervals.ts";

/** What one analysis took; null where it was not measured. */
export interface AnalysisUsage {
  /** `costUsd` is null if the price of the model was not set. */
  tokens: { promptTokens: number; completionTokens: number; costUsd: number | null } | null;
  /** Until the analyst's last answer. */
  latencyMs: number | null;
}

/** Sums over analyses, which can be added. */
export interface UsageSums {
  /** Analyses with known tokens. */
  counted: number;
  promptTokens: number;
  completionTokens: number;
  /** Those of them with a known cost. */
  priced: number;
  costUsd: number;
  latencies: LatencyCount[];
}

/** Analyses of the same latency, which is rounded to two digits. */
interface LatencyCount {
  latencyMs: number;
  count: number;
}

export const NO_USAGE: UsageSums = {
  counted: 0,
  promptTokens: 0,
  completionTokens: 0,
  priced: 0,
  costUsd: 0,
  latencies: [],
};

export const sumOfUsage = ({ tokens, latencyMs }: AnalysisUsage): UsageSums => ({
  counted: Number(tokens !== null),
  promptTokens: tokens?.promptTokens ?? 0,
  completionTokens: tokens?.completionTokens ?? 0,
  priced: Number(typeof tokens?.costUsd === "number"),
  costUsd: tokens?.costUsd ?? 0,
  latencies: latencyMs === null ? [] : [{ latencyMs: roundToTwoDigits(latencyMs), count: 1 }],
});

const roundToTwoDigits = (value: number): number => Number(value.toPrecision(2));

export const addUsage = (all: readonly UsageSums[]): UsageSums => ({
  counted: sumOf(all, "counted"),
  promptTokens: sumOf(all, "promptTokens"),
  completionTokens: sumOf(all, "completionTokens"),
  priced: sumOf(all, "priced"),
  costUsd: sumOf(all, "costUsd"),
  latencies: addLatencies(all.flatMap(({ latencies }) => latencies)),
});

const addLatencies = (all: readonly LatencyCount[]): LatencyCount[] =>
  [...groupBy(all, ({ latencyMs }) => latencyMs)]
    .map(([latencyMs, group]) => ({ latencyMs, count: sumOf(group, "count") }))
    .toSorted((a, b) => a.latencyMs - b.latencyMs);

/** Mean tokens and cost of an analysis, and its median latency; null for what no analysis has. */
export function usageMetrics(sums: UsageSums) {
  const { counted, priced, latencies } = sums;
  const mean = (total: number, count: number) => (count === 0 ? null : total / count);
  return {
    prompt_tokens: mean(sums.promptTokens, counted),
    completion_tokens: mean(sums.completionTokens, counted),
    cost_usd: mean(sums.costUsd, priced),
    latency_ms: medianOf(latencies),
  };
}

/** The lower one of the two in the middle. Rounding keeps the order, so it is that of the latencies, rounded. */
function medianOf(latencies: readonly LatencyCount[]): number | null {
  const half = sumOf(latencies, "count") / 2;
  let before = 0;
  for (const { latencyMs, count } of latencies) {
    before += count;
    if (before >= half) return latencyMs;
  }
  return null;
}
