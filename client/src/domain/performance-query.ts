import { type PerformanceQuery, performanceSchema } from "@shared/contract/performance.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api/client.ts";

/** Workers update the record about once a minute. */
export const PERFORMANCE_STALE_MS = 60_000;

export function performanceQuery(query: PerformanceQuery) {
  const params = performanceParams(query);
  return queryOptions({
    queryKey: ["performance", params.toString()],
    queryFn: ({ signal }) =>
      api({ path: "/performance", query: params, schema: performanceSchema, signal }),
    staleTime: PERFORMANCE_STALE_MS,
  });
}

export const PERFORMANCE_PARAMS = [
  "data",
  "period",
  "symbol",
  "class",
  "timeframe",
  "analyst",
  "version",
  "model",
] as const;

export function performanceParams(query: PerformanceQuery): URLSearchParams {
  const params = new URLSearchParams();
  const defaults: Record<string, string> = { data: "live", period: "all" };
  for (const name of PERFORMANCE_PARAMS) {
    const value = query[name];
    if (value !== undefined && value !== defaults[name]) params.set(name, value);
  }
  return params;
}
