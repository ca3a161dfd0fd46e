import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLive } from "../../lib/live/live-store.ts";
import {
  readAudit,
  readChartImages,
  readHealth,
  readPaymentDetails,
  readUsage,
  readUsers,
} from "./admin-api.ts";

/** What the admin page knows, by its name in the cache. */
export const adminKeys = {
  users: ["admin", "users"],
  images: ["admin", "chart-images"],
  payment: ["admin", "payment-details"],
  usage: ["admin", "usage"],
  audit: ["admin", "audit"],
  health: ["admin", "health"],
} as const;

/** No event tells of tokens, so the sums are read anew while somebody looks at them. */
const USAGE_REFRESH_MS = 60_000;

/** Half of the time in which workers report. */
const HEALTH_REFRESH_MS = 5_000;

const FIRST_PAGE: string | null = null;

const useReady = () => useLive((live) => live.ready);

export const useUsers = () =>
  useQuery({
    queryKey: adminKeys.users,
    queryFn: ({ signal }) => readUsers(signal),
    enabled: useReady(),
  });

export const useChartImages = () =>
  useQuery({
    queryKey: adminKeys.images,
    queryFn: ({ signal }) => readChartImages(signal),
    enabled: useReady(),
  });

export const usePaymentDetails = () =>
  useQuery({
    queryKey: adminKeys.payment,
    queryFn: ({ signal }) => readPaymentDetails(signal),
    enabled: useReady(),
  });

export const useUsage = () =>
  useQuery({
    queryKey: adminKeys.usage,
    queryFn: ({ signal }) => readUsage(signal),
    refetchInterval: USAGE_REFRESH_MS,
    enabled: useReady(),
  });

/** Read again and again as long as it is shown; a hidden tab does not ask. */
export const useHealth = () =>
  useQuery({
    queryKey: adminKeys.health,
    queryFn: ({ signal }) => readHealth(signal),
    enabled: useReady(),
    refetchInterval: HEALTH_REFRESH_MS,
  });

export function useAudit() {
  return useInfiniteQuery({
    queryKey: adminKeys.audit,
    queryFn: ({ pageParam, signal }) => readAudit(pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    enabled: useReady(),
  });
}
