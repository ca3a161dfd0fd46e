import { QueryClient, type QueryFilters } from "@tanstack/react-query";
import { ApiError } from "./api/errors.ts";

const RETRY_DELAY_MS = 500;

/** Retries network failures and server errors, but never time-outs. */
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
 * Reads queries again after a change. A read in progress may be older than the change, so it is cancelled first;
 * `invalidateQueries` alone would let a first read finish.
 */
export async function refetch(which: QueryFilters = {}): Promise<void> {
  await queryClient.cancelQueries(which);
  await queryClient.invalidateQueries(which);
}
