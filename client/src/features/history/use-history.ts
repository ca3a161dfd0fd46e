import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { onLiveEvent } from "../../lib/live/live-listeners.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { queryClient } from "../../lib/query-client.ts";
import { readHistory } from "./history-api.ts";
import { mergeHistory } from "./merge-history.ts";

const QUERY_KEY = ["signal-history"] as const;
const FIRST_PAGE: string | null = null;

/** The user's signals as far as they have been read, kept up to date by the live events. */
export function useHistory() {
  const ready = useLive((live) => live.ready);
  const signals = useLive((live) => live.signals);
  const outcomes = useLive((live) => live.outcomes);
  const query = useInfiniteQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ pageParam, signal }) => readHistory({ cursor: pageParam, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    enabled: ready,
  });
  useEffect(
    () =>
      onLiveEvent((event) => {
        if (event.name === "history:cleared")
          void queryClient.resetQueries({ queryKey: QUERY_KEY });
      }),
    [],
  );
  const { data, hasNextPage } = query;
  const items = useMemo(() => {
    const read = data?.pages.flatMap((page) => page.signals);
    return read && mergeHistory({ items: read, hasMore: hasNextPage, live: { signals, outcomes } });
  }, [data, hasNextPage, signals, outcomes]);
  return { ...query, items };
}
