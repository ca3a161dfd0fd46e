import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { readHead, readOlder } from "./ledger-api.ts";

/** The newest record as it was when the page was opened. */
export function useHead() {
  return useQuery({ queryKey: ["ledger", "head"], queryFn: ({ signal }) => readHead(signal) });
}

/** The records before number `from`, itself included, as far back as the reader went. */
export function useRecords(from: number) {
  const query = useInfiniteQuery({
    queryKey: ["ledger", "records", from],
    queryFn: ({ pageParam, signal }) => readOlder(pageParam, signal),
    initialPageParam: from,
    getNextPageParam: ({ older }) => older,
  });
  return { ...query, entries: query.data?.pages.flatMap(({ entries }) => entries) };
}
