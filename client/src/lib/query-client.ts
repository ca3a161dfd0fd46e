import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api/api-error.ts";

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
