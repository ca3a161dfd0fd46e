import { type PerformanceQuery, performanceSchema } from "@shared/contract/performance.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { performanceParams } from "./performance-params.ts";

/** Time for which a record counts as current, in milliseconds; workers measure it about once a minute. */
export const PERFORMANCE_STALE_MS = 60_000;

/** Options of the query of a record. Screens that show the same record share its answer. */
export function performanceQuery(query: PerformanceQuery) {
  const params = performanceParams(query).toString();
  return queryOptions({
    queryKey: ["performance", params],
    queryFn: ({ signal }) =>
      api({ path: `/performance?${params}`, schema: performanceSchema, signal }),
    staleTime: PERFORMANCE_STALE_MS,
  });
}
