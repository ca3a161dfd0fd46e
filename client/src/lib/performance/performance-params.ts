import type { PerformanceQuery } from "@shared/contract/performance.ts";

/** Parameters of a record's address, in the order in which they are written. */
export const PERFORMANCE_PARAMS = [
  "data",
  "period",
  "symbol",
  "class",
  "timeframe",
  "analyst",
  "version",
] as const;

/** The parameters of a record; defaults are left out. */
export function performanceParams(query: PerformanceQuery): URLSearchParams {
  const params = new URLSearchParams();
  const defaults: Record<string, string> = { data: "live", period: "all" };
  for (const name of PERFORMANCE_PARAMS) {
    const value = query[name];
    if (value !== undefined && value !== defaults[name]) params.set(name, value);
  }
  return params;
}
