import { useQuery } from "@tanstack/react-query";
import { readStatus } from "./bot-api.ts";

const REFRESH_MS = 60_000;

/** What a signal would be made from at this moment. */
export const useStatus = () =>
  useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => readStatus(signal),
    refetchInterval: REFRESH_MS,
  });
