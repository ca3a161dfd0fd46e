import { type Markets, marketsSchema } from "@shared/contract/markets.ts";
import { useQuery } from "@tanstack/react-query";
import { apiOrigin } from "../../lib/env.ts";

const REFRESH_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** The prices that our own panels show; read once for all of them. */
export function useMarkets() {
  return useQuery({
    queryKey: ["markets"],
    queryFn: ({ signal }) => readMarkets(signal),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS,
  });
}

/** Without the API client: prices need no session, and a visitor's first page is to stay light. */
async function readMarkets(signal: AbortSignal): Promise<Markets> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(`${apiOrigin}/markets`, { signal: inTime });
  if (!response.ok) throw new Error(`GET /markets was answered with ${response.status}`);
  return marketsSchema.parse(await response.json());
}
