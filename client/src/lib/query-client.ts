import { QueryClient, type QueryFilters } from "@tanstack/react-query";
import { ApiError } from "./api/errors.ts";

const RETRY_DELAY_MS = 500;

/** Only what may pass by itself is asked again: no answer, or a server in trouble; never a time-out. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.isTimeout) return false;
  return error.isNetwork || error.status >= 500;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      refetchOnWindowFocus: false,
      retry: (failureCount, error) => failureCount < 1 && mayPass(error),
      retryDelay: RETRY_DELAY_MS,
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * Reads again what something has changed. What is being read at this moment may be older than the change, so it is
 * called off first: `invalidateQueries` alone would let a first reading come to its end and leave it at that.
 */
export async function refetch(which: QueryFilters = {}): Promise<void> {
  await queryClient.cancelQueries(which);
  await queryClient.invalidateQueries(which);
}
