import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLive } from "../../lib/live/live-store.ts";
import { readAudit, readChartImages, readPaymentDetails, readUsers } from "./admin-api.ts";

/** What the admin page knows, by its name in the cache. */
export const adminKeys = {
  users: ["admin", "users"],
  images: ["admin", "chart-images"],
  payment: ["admin", "payment-details"],
  audit: ["admin", "audit"],
} as const;

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

export function useAudit() {
  return useInfiniteQuery({
    queryKey: adminKeys.audit,
    queryFn: ({ pageParam, signal }) => readAudit(pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    enabled: useReady(),
  });
}
