import type { PerformanceQuery } from "@shared/contract/performance.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { PERFORMANCE_STALE_MS, performanceQuery } from "../../lib/performance/performance-query.ts";

/** The record that fits the filter; while another one is read, the one before stays. */
export const usePerformance = (filter: PerformanceQuery) =>
  useQuery({
    ...performanceQuery(filter),
    placeholderData: keepPreviousData,
    refetchInterval: PERFORMANCE_STALE_MS,
  });
