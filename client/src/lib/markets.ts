import { marketsSchema } from "@shared/contract/markets.ts";
import { useQuery } from "@tanstack/react-query";
import { readPublic } from "./public-api.ts";

const REFRESH_INTERVAL_MS = 60_000;

/** The latest prices of the product's own symbols. */
export const useMarkets = () =>
  useQuery({
    queryKey: ["markets"],
    queryFn: ({ signal }) => readPublic({ path: "/markets", schema: marketsSchema, signal }),
    refetchInterval: REFRESH_INTERVAL_MS,
    staleTime: REFRESH_INTERVAL_MS,
  });
