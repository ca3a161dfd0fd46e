import { useQuery } from "@tanstack/react-query";
import { verifyEmail } from "./account-api.ts";

/**
 * Confirms an address by the token of a mail's link. Since the token works once, it is sent once, however often the
 * screen is mounted: all its mounts share the one request, and nothing but `again` repeats it.
 */
export function useVerification(token: string) {
  const { isSuccess, isFetching, error, refetch } = useQuery({
    queryKey: ["verify-email", token],
    queryFn: () => verifyEmail(token),
    retry: false,
    retryOnMount: false,
    staleTime: "static",
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  return { isSuccess, isFetching, error, again: () => void refetch() };
}
