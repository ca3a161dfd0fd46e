import { overviewSchema } from "@shared/contract/admin.ts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../lib/api/client.ts";
import { useRealtime } from "../lib/realtime/store.ts";

export const OVERVIEW_KEY = ["admin", "overview"];

/** No event reports the problems of the system, so they are polled. */
const REFRESH_INTERVAL_MS = 30_000;

/** What awaits an administrator, and counts of users. */
export function useOverview() {
  return useQuery({
    queryKey: OVERVIEW_KEY,
    queryFn: ({ signal }) => api({ path: "/admin/overview", schema: overviewSchema, signal }),
    refetchInterval: REFRESH_INTERVAL_MS,
    enabled: useRealtime((live) => live.ready),
  });
}
