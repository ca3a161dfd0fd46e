import {
  type Performance,
  type PerformanceQuery,
  performanceSchema,
} from "@shared/contract/performance.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/api.ts";
import { paramsOf } from "./performance-filter.ts";

const REFRESH_MS = 60_000;

/** The record that fits the filter; while another one is read, the one before stays. */
export function usePerformance(filter: PerformanceQuery) {
  const query = paramsOf(filter).toString();
  return useQuery({
    queryKey: ["performance", query],
    queryFn: ({ signal }) => readPerformance(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS,
  });
}

const readPerformance = (query: string, signal: AbortSignal): Promise<Performance> =>
  api({ path: `/performance?${query}`, schema: performanceSchema, signal });
