import { QueryClient, type QueryFilters, type QueryKey } from "@tanstack/react-query";
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

/** Cancels first: a read in progress may be older than the change, and `invalidateQueries` lets a first read finish. */
export async function refetch(which: QueryFilters = {}): Promise<void> {
  await queryClient.cancelQueries(which);
  await queryClient.invalidateQueries(which);
}

/** Applies an event to what has been read. A response that is on its way may be older, so it is read again. */
export function patchQueries<Data>(queryKey: QueryKey, change: (data: Data) => Data): void {
  queryClient.setQueriesData<Data>({ queryKey }, (data) => data && change(data));
  refetchOutdated(queryKey);
}

export function refetchOutdated(queryKey: QueryKey): void {
  if (queryClient.isFetching({ queryKey }) > 0) void refetch({ queryKey });
}
