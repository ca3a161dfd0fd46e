import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { readHead, readHeads, readOlder } from "./ledger-api.ts";

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

/** The heads of past days, newest first, as far back as the reader went. */
export function useHeads() {
  const query = useInfiniteQuery({
    queryKey: ["ledger", "heads"],
    queryFn: ({ pageParam, signal }) => readHeads(pageParam, signal),
    initialPageParam: firstPage,
    getNextPageParam: ({ next_before: before }) => before,
  });
  return { ...query, heads: query.data?.pages.flatMap(({ heads }) => heads) };
}

const firstPage: string | null = null;
